// How a woken worker gets another processor than the waker's.
//
// Linux may put a woken thread on the processor of the thread that woke it, though others are idle:
// on virtual machines most of the time, where an idle processor looks as if it had been taken away
// (ADR 7 has the figures). Then the two take turns on it until the system balances its load, which
// takes longer than many a loop runs. So a waker takes its own processor from those that one
// sleeper may use, wakes that one, and gives the processor back: by then the system has chosen
// where the sleeper will run. This costs the waker some microseconds and the sleeper none, so it is
// done only where it helps: when a worker has found itself on its waker's processor and asks for
// it.
//
//   at_: awake --owner--> asleep --waker--> moving --waker--> asleep
//                         asleep --owner--> awake
//
// Invariants.
//   M1  While at_ is `moving` the owner waits: its thread lives, and nobody else changes its mask.
//   M2  A worker that is awake has its own mask: only the waker that took the place from asleep to
//       moving takes something away, and it gives that back before it leaves `moving`. What it
//       gives back is the mask that all workers began with, so a worker whose mask is another one,
//       because somebody changed it or a processor is offline, is left alone.
//
// Who writes what. at_: as above. The rest is hints, to the system too: what it refuses changes
// nothing but where a thread runs.
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
class alignas(platform::cache_line_bytes) basic_sleeping_place {
 public:
  // By the owner, about to sleep. Release: partner is the exchange in begin_move.
  void enter() noexcept { at_.store(asleep, std::memory_order_release); }

  // By the owner, awake again.
  void leave() noexcept {
    for (;;) {
      place found = asleep;
      // Acquire: the mask is as it was. Partner: the store in end_move.
      if (at_.compare_exchange_strong(found, awake, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return;
      Seam::yield();  // a waker is between begin_move and end_move: a few system calls
    }
  }

  // By a waker that may then change the owner's mask, until end_move. False: the owner is awake, or
  // another waker does the same.
  [[nodiscard]] bool begin_move() noexcept {
    place found = asleep;
    // Relaxed: a hint, and one look at a cache line that seldom changes.
    return at_.load(std::memory_order_relaxed) == asleep &&
           at_.compare_exchange_strong(found, moving, std::memory_order_acquire,
                                       std::memory_order_relaxed);
  }
  // By the same, when the mask is as it was. Release: partner is the acquire in leave.
  void end_move() noexcept { at_.store(asleep, std::memory_order_release); }

 private:
  enum place : int { awake, asleep, moving };

  typename Seam::template atomic<place> at_{awake};
};

// The places of a pool's workers, by their index.
class sleeping_places {
 public:
  // For the first `count` of the threads, which may run where the caller may.
  void open_for(const std::vector<pid_t>& threads, unsigned count) {
    places_ = std::make_unique<basic_sleeping_place<std_yielding>[]>(count);
    threads_ = &threads;
    mask_.note();
    count_ = count;
  }

  void enter(unsigned worker) noexcept {
    if (places_) places_[worker].enter();
  }
  void leave(unsigned worker) noexcept {
    if (!places_) return;
    places_[worker].leave();
    if (platform::current_cpu() == waker_cpu_.load(std::memory_order_relaxed))
      moves_left_.store(moves_at_once, std::memory_order_relaxed);
  }

  // By a worker that keeps running. Calls wake(sleeper), which is to wake that one if it can;
  // wake(-1): any. Returns what that returns.
  template <class Wake>
  bool wake_elsewhere(unsigned waker, Wake&& wake) noexcept {
    if (!places_) return wake(-1);
    const int here = platform::current_cpu();
    waker_cpu_.store(here, std::memory_order_relaxed);
    const unsigned left = moves_left_.load(std::memory_order_relaxed);
    if (left == 0) return wake(-1);
    moves_left_.store(left - 1, std::memory_order_relaxed);
    for (unsigned k = 1; k < count_; ++k) {
      const unsigned i = (waker + k) % count_;
      if (!places_[i].begin_move()) continue;
      const pid_t thread = (*threads_)[i];
      const bool moved = mask_.forbid(thread, here);
      const bool woken = wake(moved ? static_cast<int>(i) : -1);
      if (moved) mask_.restore(thread);
      places_[i].end_move();
      return woken;
    }
    return wake(-1);
  }
  // Before a wake-up by a thread that will soon sleep: its processor is as good as any.
  void move_nobody() noexcept { waker_cpu_.store(-1, std::memory_order_relaxed); }

 private:
  static constexpr unsigned moves_at_once = 1000;  // then a wake-up without a move is tried

  std::unique_ptr<basic_sleeping_place<std_yielding>[]> places_;  // null: no worker is ever moved
  const std::vector<pid_t>* threads_ = nullptr;
  unsigned count_ = 0;
  platform::common_mask mask_;
  alignas(platform::cache_line_bytes) std::atomic<int> waker_cpu_{-1};
  std::atomic<unsigned> moves_left_{0};
};

}  // namespace heist::inline v0::detail
