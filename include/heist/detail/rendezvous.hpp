// The word where a waiter and an ender meet, once: the state of a job, a root, a scope, a
// wait_point or a future.
//
// Roles. The waiter brings its address, and waits; the ender brings how it ended, and doesn't wait.
// Each makes one exchange on the word, in any order. The second of the two finds what the first one
// left, and has to see to it that the waiter continues:
//
//   pending --(waiter: its address)--> waiter --(ender: how)--> how  the ender resumes or wakes it
//   pending --(ender: how)--> how   (the waiter's exchange fails)    the waiter continues by itself
//
// In the slot of a stolen spawner nobody waits: there the thief and the child both leave a mark,
// and the second one does what needs both (src/runtime/work/spawn.cpp).
//
// Who writes the word. Before the two come, and after both have come, only the one that owns what
// the word lies in, usually the waiter. The invariants of those who wait are in
// src/runtime/waits/rendezvous.hpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/detail/errno.hpp"

namespace heist::inline v0::detail {

class rendezvous {
 public:
  using word = std::uintptr_t;

  // What the word can be, besides a waiter's address, which is none of these.
  static constexpr word pending = 0;
  static constexpr word done = 1;
  static constexpr word threw = 2;
  static constexpr word queued = 3;  // src/runtime/core/shared_queue.hpp

  constexpr rendezvous() noexcept = default;
  rendezvous(const rendezvous&) = delete;
  rendezvous& operator=(const rendezvous&) = delete;

  // ---- The waiter.

  // How it ended, or something else as long as it hasn't. Acquire: partner is the exchange in
  // settle(); carries the result.
  [[nodiscard]] word look() const noexcept { return word_.load(std::memory_order_acquire); }

  // `waiter` waits from now on, and may continue at once. False: it has ended, and nobody waits.
  [[nodiscard]] bool wait(word waiter) noexcept {
    word before = pending;
    // Release: the waiter, ready to continue; partner: the exchange in settle(). Acquire on
    // failure: the result.
    return word_.compare_exchange_strong(before, waiter, std::memory_order_acq_rel,
                                         std::memory_order_acquire);
  }

  // The same for a waiter that can be taken back.
  [[nodiscard]] bool attach(word waiter) noexcept {
    word before = pending;
    // Release: the waiter; partner: the exchange in settle(). Acquire on failure: as in look().
    return word_.compare_exchange_strong(before, waiter, std::memory_order_release,
                                         std::memory_order_acquire);
  }
  // False: it has ended, and the ender continues the waiter, or has.
  [[nodiscard]] bool detach(word waiter) noexcept {
    // Relaxed: settle() finds nobody then.
    return word_.compare_exchange_strong(waiter, pending, std::memory_order_relaxed,
                                         std::memory_order_relaxed);
  }

  // Makes the word ready for its next use. Relaxed: until then only the caller looks at it, or
  // whatever makes it known to others orders it.
  void reset() noexcept { word_.store(pending, std::memory_order_relaxed); }

  // ---- The ender.

  // It has ended so. Answers who waits; pending: nobody does. Release: the result; partners: the
  // waiter's exchange, or its look() when it continues. Acquire: the waiter.
  [[nodiscard]] word settle(word how) noexcept {
    return word_.exchange(how, std::memory_order_acq_rel);
  }

  // ---- In a queue, before either of the two comes. The queue's mutex orders these.

  void enqueue() noexcept { word_.store(queued, std::memory_order_relaxed); }
  // Relaxed: what else it can be is the ender's, and look() is there for that.
  [[nodiscard]] bool is_queued() const noexcept {
    return word_.load(std::memory_order_relaxed) == queued;
  }

  // ---- Where nobody waits.

  // Answers the other one's mark; pending: it hasn't come yet. Acquire and release: the one that
  // comes second sees what the first one did.
  [[nodiscard]] word leave_mark(word mark) noexcept {
    return word_.exchange(mark, std::memory_order_acq_rel);
  }

 private:
  std::atomic<word> word_{pending};
};
static_assert(sizeof(rendezvous) == sizeof(void*));

}  // namespace heist::inline v0::detail
