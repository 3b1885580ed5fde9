// The fibers that a pool has mapped and no worker uses or keeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/fiber.hpp"

namespace heist::inline v0::detail {

// Workers keep a few fibers each (worker::cached). They take more from here, and put surplus ones
// here.
class stack_pool {
 public:
  stack_pool(pool_impl& pool, std::size_t stack_size, std::size_t slots) noexcept
      : pool_(pool), stack_size_(stack_size), slots_(slots) {}
  ~stack_pool();
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  // nullptr when the system refuses. Thread-safe, as is put().
  fiber* get() noexcept;
  // The same, but a new one. Thread-safe.
  fiber* make() noexcept;
  void put(fiber& f) noexcept;

  [[nodiscard]] std::uint64_t mapped() const noexcept {
    return mapped_.load(std::memory_order_relaxed);  // a number for reports
  }

 private:
  pool_impl& pool_;
  const std::size_t stack_size_;
  const std::size_t slots_;
  std::mutex mutex_;
  fiber* free_ = nullptr;  // guarded by mutex_
  std::atomic<std::uint64_t> mapped_{0};
};

// How many stacks are in use, and how many were at most. Relaxed: numbers for reports.
class stack_count {
 public:
  void add_one() noexcept {
    const std::uint64_t now = in_use_.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed,
                                                      std::memory_order_relaxed)) {
    }
  }
  void remove_one() noexcept { in_use_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t in_use() const noexcept {
    return in_use_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t peak() const noexcept {
    return peak_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> in_use_{0};
  std::atomic<std::uint64_t> peak_{0};
};

}  // namespace heist::inline v0::detail
