// The fibers that a pool has mapped and no worker uses or keeps.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heist/detail/short_lock.hpp"
#include "platform/cpu.hpp"
#include "runtime/core/fiber.hpp"

namespace heist::inline v0::detail {

// Workers keep a few fibers each (worker::cached). They take more from here, and put surplus ones
// here. What is surplus goes back to the system when the pool has been idle for a while, and before
// another pool is refused a stack.
class alignas(platform::cache_line_bytes) stack_pool {
 public:
  stack_pool(pool_impl& pool, fiber::entry begin, std::size_t stack_size,
             std::size_t slots) noexcept
      : pool_(pool), begin_(begin), stack_size_(stack_size), slots_(slots) {}
  ~stack_pool();
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  // An idle pool keeps so many for its next burst.
  static constexpr std::size_t kept_when_idle = 32;

  // nullptr when the system refuses, and no other pool has any to spare. Thread-safe, as is all
  // below.
  fiber* get() noexcept;
  // The same, but a new one.
  fiber* make() noexcept;
  void put(fiber& f) noexcept;

  // Whether there are more than `kept`. Relaxed: a hint.
  [[nodiscard]] bool has_more_than(std::size_t kept) const noexcept {
    return free_count_.load(std::memory_order_relaxed) > kept;
  }
  // Unmaps some of those above `kept`, so few that it takes less than a millisecond. Answers how
  // many.
  std::size_t release_some(std::size_t kept) noexcept;

  [[nodiscard]] std::uint64_t mapped() const noexcept {
    return mapped_.load(std::memory_order_relaxed);  // a number for reports
  }

 private:
  [[nodiscard]] fiber* pop() noexcept;

  pool_impl& pool_;
  const fiber::entry begin_;
  const std::size_t stack_size_;
  const std::size_t slots_;
  short_lock lock_;
  fiber* free_ = nullptr;                   // guarded by lock_
  std::atomic<std::size_t> free_count_{0};  // written under lock_ only
  std::atomic<std::uint64_t> mapped_{0};
};

// How many stacks are in use, and how many were at most. Relaxed: numbers for reports.
class alignas(platform::cache_line_bytes) stack_count {
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
