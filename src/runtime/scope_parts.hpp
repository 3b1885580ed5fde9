// What the two files that implement scopes share: spawn.cpp and, for reducers, views.cpp.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "heist/scope.hpp"

namespace heist::inline v0::detail {

// Children that others than the scope's own function spawned.
inline constexpr std::uint64_t foreign_key = ~std::uint64_t{0};

// Holds what scope_state guards with keeping_.
class scope_state::keeping {
 public:
  // Acquire and release: one after the other.
  explicit keeping(std::atomic<bool>& busy) noexcept : busy_(busy) {
    while (busy_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~keeping() { busy_.store(false, std::memory_order_release); }
  keeping(const keeping&) = delete;
  keeping& operator=(const keeping&) = delete;

 private:
  std::atomic<bool>& busy_;
};

}  // namespace heist::inline v0::detail
