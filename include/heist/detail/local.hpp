// A field that only one worker's thread uses, whatever fiber it runs.
//
// ThreadSanitizer treats each fiber as a thread of its own, and our switches deliberately declare
// no order between two fibers of one worker, since such an order would hide races in the program's
// tasks. What the runtime itself keeps for each thread is then shared between "threads", so in that
// build, and only there, these fields are relaxed atomics.
#pragma once

#include <atomic>

#include "heist/detail/requirements.hpp"
#include "heist/detail/sanitizers.hpp"

namespace heist::inline v0::detail {

template <class T>
class local {
 public:
  constexpr local() noexcept = default;
  constexpr local(T value) noexcept : value_(value) {}  // NOLINT: stands for a T
#if HEIST_TSAN
  operator T() const noexcept { return get(); }
  [[nodiscard]] T get() const noexcept { return value_.load(std::memory_order_relaxed); }
  T operator=(T value) noexcept {
    value_.store(value, std::memory_order_relaxed);
    return value;
  }

 private:
  std::atomic<T> value_{};
#else
  operator T() const noexcept { return value_; }
  [[nodiscard]] T get() const noexcept { return value_; }
  T operator=(T value) noexcept { return value_ = value; }

 private:
  T value_{};
#endif
};

}  // namespace heist::inline v0::detail
