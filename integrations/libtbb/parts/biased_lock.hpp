// A lock that costs its owner no atomic operation, and others a barrier in the owner's thread.
//
// The owner takes it all the time, others hardly ever: the thread that binds contexts, and one that
// cancels a group.
//
//   owner:  busy = 1; light barrier; wanted?  -> if so, busy = 0, and waits like the others
//   other:  mutex; wanted = 1; HEAVY BARRIER in the owner's thread; waits until busy is 0
//
// Either the owner sees wanted, or the other sees busy: the heavy barrier lies between the owner's
// store and its load, before both, or after both.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "heist/deque/heavy_barrier.hpp"
#include "platform/cpu.hpp"

namespace heist::inline v0::libtbb {

class biased_lock {
 public:
  // The caller becomes the owner. Nobody else may have it or wait for it as the owner.
  void set_owner(deque::heavy_barrier_target thread) {
    const std::lock_guard held(*this);
    owner_ = thread;
  }

  void lock_as_owner() noexcept {
    busy_.store(true, std::memory_order_relaxed);  // relaxed: ordered by the heavy barrier
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // Acquire: partner in unlock().
    if (wanted_.load(std::memory_order_acquire)) [[unlikely]]
      lock_as_owner_slowly();
  }
  // Release: partner in lock().
  void unlock_as_owner() noexcept { busy_.store(false, std::memory_order_release); }

  // Some microseconds.
  void lock() {
    mutex_.lock();
    wanted_.store(true, std::memory_order_relaxed);  // relaxed: ordered by the heavy barrier
    if (owner_) deque::heavy_barrier(*owner_);
    // Acquire: partner in unlock_as_owner().
    while (busy_.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() {
    wanted_.store(false, std::memory_order_release);  // partner in lock_as_owner()
    mutex_.unlock();
  }

 private:
  // Not inlined: seldom.
  [[gnu::noinline]] void lock_as_owner_slowly() noexcept {
    do {
      busy_.store(false, std::memory_order_release);
      const std::lock_guard held(mutex_);  // waits for the other
      busy_.store(true, std::memory_order_seq_cst);
    } while (wanted_.load(std::memory_order_seq_cst));
  }

  std::atomic<bool> busy_{false};
  std::atomic<bool> wanted_{false};
  std::optional<deque::heavy_barrier_target> owner_;
  std::mutex mutex_;
};

}  // namespace heist::inline v0::libtbb
