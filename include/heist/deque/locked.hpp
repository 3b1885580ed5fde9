// A deque with a lock: the baseline of every comparison and the oracle of every test.
//
// Bottom and top counters over a power-of-two ring, masked on access, as in the job system that row
// B1 of the sources describes; here it grows instead of overflowing.
//
// Roles. The owner pushes and pops at the new end, thieves steal at the old end; with a lock any
// thread may do either. One lock guards all fields: a mutex, whose waiters sleep, or one for which
// they spin (spin_locked), as the deques had against which the literature measures its own.
//
// Invariants.
//   I1  top_ <= bottom_ <= top_ + ring size; the items are those at [top_, bottom_), masked.
//   I2  The counters only grow, except that a pop lowers bottom_: 64 bits don't wrap in a lifetime.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

#include "heist/deque/capacity.hpp"
#include "heist/deque/concept.hpp"
#include "heist/detail/invariant.hpp"

namespace heist::inline v0::deque {

// A lock whose waiters spin and never give their processor away: where its holder has lost its own,
// they wait until the system runs it again. To measure what that costs; std::mutex is the better
// lock.
class spin_lock {
 public:
  // Returns when the calling thread has the lock. Not recursive.
  void lock() noexcept {
    // Acquire: partner is the store in unlock(). Relaxed in the loop, since nothing is read before
    // the next exchange.
    while (is_held_.exchange(true, std::memory_order_acquire))
      while (is_held_.load(std::memory_order_relaxed)) pause();
  }
  // By the thread that has it.
  void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

 private:
  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::atomic<bool> is_held_{false};
};

// concept.hpp says how a deque is used. This one grows when it is full. Lock: std::mutex, or
// spin_lock.
template <item T, class Lock = std::mutex>
class locked {
 public:
  // What its items are, and max_capacity, how many it can hold at most.
  using item_type = T;
  static constexpr std::size_t max_capacity = std::size_t{1} << 32;

  // The deque has space for `capacity` items, a power of two, before it grows; it doubles when it
  // is full and never shrinks. Throws usage_error for an invalid capacity, std::bad_alloc.
  explicit locked(std::size_t capacity = 64)
      : ring_(checked_ring_capacity("locked", capacity, max_capacity)) {}

  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

  // The owner's end, for one thread at a time.
  class owner_end {
   public:
    // What owner() returns. The deque must outlive it.
    explicit owner_end(locked& d) noexcept : deque_(&d) {}
    // full: max_capacity is reached or the system refuses memory.
    [[nodiscard]] push_result push(T one) noexcept { return deque_->push(one); }
    // Takes the newest item.
    [[nodiscard]] std::optional<T> pop() noexcept { return deque_->pop(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size(); }

   private:
    locked* deque_;
  };

  // A thief's end, for any number of threads, a copy each.
  class thief_end {
   public:
    // What thief() returns. The deque must outlive it.
    explicit thief_end(locked& d) noexcept : deque_(&d) {}
    // Takes the oldest item. The answer is never lost.
    [[nodiscard]] steal_answer<T> steal() noexcept { return deque_->steal(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size(); }

   private:
    locked* deque_;
  };

  // The two ends: owner() for the thread that pushes, thief() for those that steal.
  [[nodiscard]] owner_end owner() noexcept { return owner_end(*this); }
  [[nodiscard]] thief_end thief() noexcept { return thief_end(*this); }

  // How many items it can hold without growing.
  [[nodiscard]] std::size_t capacity() const noexcept {
    const std::lock_guard hold(mutex_);
    return ring_.size();
  }
  // How often the ring was replaced by a larger one.
  [[nodiscard]] std::uint64_t resizes() const noexcept {
    const std::lock_guard hold(mutex_);
    return resizes_;
  }
  // The exact number of items at some moment of the call.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard hold(mutex_);
    return bottom_ - top_;
  }

 private:
  T& at(std::uint64_t position) noexcept { return ring_[position & (ring_.size() - 1)]; }

  push_result push(T one) noexcept {
    const std::lock_guard hold(mutex_);
    if (bottom_ - top_ == ring_.size() && !grow()) return push_result::full;
    at(bottom_++) = one;
    HEIST_INVARIANT("locked.hpp I1", top_ <= bottom_ && bottom_ - top_ <= ring_.size());
    return push_result::ok;
  }

  std::optional<T> pop() noexcept {
    const std::lock_guard hold(mutex_);
    if (top_ == bottom_) return std::nullopt;
    return at(--bottom_);
  }

  steal_answer<T> steal() noexcept {
    const std::lock_guard hold(mutex_);
    if (top_ == bottom_) return {steal_result::empty, T{}};
    return {steal_result::taken, at(top_++)};
  }

  bool grow() noexcept {
    if (ring_.size() == max_capacity) return false;
    try {
      std::vector<T> larger(ring_.size() * 2);
      for (std::uint64_t i = top_; i != bottom_; ++i) larger[i & (larger.size() - 1)] = at(i);
      ring_.swap(larger);
      ++resizes_;
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  mutable Lock mutex_;
  std::vector<T> ring_;
  std::uint64_t top_ = 0;     // the oldest item
  std::uint64_t bottom_ = 0;  // one beyond the newest
  std::uint64_t resizes_ = 0;
};

// The deque whose lock spins.
template <item T>
using spin_locked = locked<T, spin_lock>;

static_assert(work_stealing_deque<locked<void*>> && work_stealing_deque<spin_locked<void*>>);

}  // namespace heist::inline v0::deque
