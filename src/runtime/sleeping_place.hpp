// How a woken worker gets another processor than the waker's.
//
// Linux may put a woken thread on the processor of the thread that woke it, though others are idle:
// on virtual machines most of the time, where an idle processor looks as if it had been taken away
// (ADR 7 has the figures). Then the two take turns on it until the system balances its load, which
// takes longer than many a loop runs. So a waker takes its own processor from those that one
// sleeper may use, and wakes that one; the sleeper adds it again as soon as it runs. This costs
// either of them a few microseconds, so it is done only where it helps: when a worker has found
// itself on its waker's processor and asks for it.
//
//   at_: awake --owner--> asleep --waker--> moving --waker--> moved --owner--> awake
//                         asleep ------------owner--------------------------> awake
//
// Invariants.
//   M1  While at_ is `moving` the owner waits: its thread lives, and nobody else changes its mask.
//   M2  A worker that is awake has its own mask: only the waker that took the place from asleep to
//       moving takes something away, and the owner doesn't pass `moved` without adding it again.
//
// Who writes what. at_: as above. forbidden_: the waker, while at_ is `moving`. The rest is hints,
// to the system too: what it refuses changes nothing but where a thread runs.
//
// The Seam is that of heist/deque/atomics.hpp, and says how to yield: tests/model runs this very
// code on other ones.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "heist/deque/atomics.hpp"
#include "platform/affinity.hpp"
#include "platform/cpu.hpp"

namespace heist::inline v0::detail {

struct std_yielding : deque::std_atomics {
  static void yield() noexcept { ::sched_yield(); }
};

template <class Seam>
class basic_sleeping_place {
 public:
  // By the owner, about to sleep. Release: partner is the exchange in move_from.
  void enter() noexcept { at_.store(asleep, std::memory_order_release); }

  // By the owner, awake again. If a processor was taken from it: allow(cpu), and true.
  template <class Allow>
  bool leave(Allow&& allow) noexcept {
    // Acquire: forbid() has ended. Partner: the store in move_from.
    place found = at_.load(std::memory_order_acquire);
    while (found != awake) {
      if (found == moving) {
        Seam::yield();  // a system call's time
        found = at_.load(std::memory_order_acquire);
      } else if (at_.compare_exchange_weak(found, awake, std::memory_order_acquire,
                                           std::memory_order_acquire)) {
        if (found == asleep) return false;
        allow(forbidden_);
        return true;
      }
    }
    return false;
  }

  // By a waker on `cpu`, before it wakes anybody: forbid(cpu), if the owner sleeps and no other
  // waker does the same. True if that was done.
  template <class Forbid>
  bool move_from(int cpu, Forbid&& forbid) noexcept {
    place found = asleep;
    // Relaxed: a hint, and one look at a cache line that seldom changes.
    if (at_.load(std::memory_order_relaxed) != asleep ||
        !at_.compare_exchange_strong(found, moving, std::memory_order_acquire,
                                     std::memory_order_relaxed))
      return false;
    forbidden_ = cpu;
    const bool done = forbid(cpu);
    // Release: partner is the acquire in leave.
    at_.store(done ? moved : awake, std::memory_order_release);
    return done;
  }

 private:
  enum place : int { awake, asleep, moving, moved };

  typename Seam::template atomic<place> at_{awake};
  int forbidden_ = 0;
};

// The places of a pool's workers, by their index.
class sleeping_places {
 public:
  // For the first `count` of the threads.
  void open_for(const std::vector<pid_t>& threads, unsigned count) {
    places_ = std::make_unique<basic_sleeping_place<std_yielding>[]>(count);
    threads_ = &threads;
    count_ = count;
  }

  void enter(unsigned worker) noexcept {
    if (places_) places_[worker].enter();
  }
  void leave(unsigned worker) noexcept {
    if (!places_) return;
    const pid_t self = (*threads_)[worker];
    if (places_[worker].leave([self](int cpu) { platform::allow_cpu(self, cpu); })) return;
    if (platform::current_cpu() == waker_cpu_.load(std::memory_order_relaxed))
      moves_left_.store(moves_at_once, std::memory_order_relaxed);
  }

  // Before a wake-up by a worker that keeps running. Which worker to wake; negative: any.
  int move_one(unsigned waker) noexcept {
    if (!places_) return -1;
    const int here = platform::current_cpu();
    waker_cpu_.store(here, std::memory_order_relaxed);
    const unsigned left = moves_left_.load(std::memory_order_relaxed);
    if (left == 0) return -1;
    moves_left_.store(left - 1, std::memory_order_relaxed);
    for (unsigned k = 1; k < count_; ++k) {
      const unsigned i = (waker + k) % count_;
      const pid_t thread = (*threads_)[i];
      if (places_[i].move_from(here,
                               [thread](int cpu) { return platform::forbid_cpu(thread, cpu); }))
        return static_cast<int>(i);
    }
    return -1;
  }
  // Before a wake-up by a thread that will soon sleep: its processor is as good as any.
  void move_nobody() noexcept { waker_cpu_.store(-1, std::memory_order_relaxed); }

 private:
  static constexpr unsigned moves_at_once = 1000;  // then a wake-up without a move is tried

  std::unique_ptr<basic_sleeping_place<std_yielding>[]> places_;  // null: no worker is ever moved
  const std::vector<pid_t>* threads_ = nullptr;
  unsigned count_ = 0;
  alignas(platform::cache_line_bytes) std::atomic<int> waker_cpu_{-1};
  std::atomic<unsigned> moves_left_{0};
};

}  // namespace heist::inline v0::detail
