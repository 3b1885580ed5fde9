// What the two files that implement scopes share: spawn.cpp and, for reducers, views.cpp.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "heist/scope.hpp"

namespace heist::inline v0::detail {

// Holds what scope_state guards with `busy`.
class scope_state::keeping {
 public:
  // Acquire and release: one holder sees what the one before did.
  explicit keeping(std::atomic<std::uint64_t>& word) noexcept : word_(word) {
    while ((word_.fetch_or(busy, std::memory_order_acquire) & busy) != 0) sched_yield();
  }
  ~keeping() { word_.fetch_and(~std::uint64_t{busy}, std::memory_order_release); }
  keeping(const keeping&) = delete;
  keeping& operator=(const keeping&) = delete;

  // Whether that flag was set before.
  [[nodiscard]] bool has(unsigned flag) const noexcept {
    return (word_.load(std::memory_order_relaxed) & flag) != 0;
  }

 private:
  std::atomic<std::uint64_t>& word_;
};

}  // namespace heist::inline v0::detail
