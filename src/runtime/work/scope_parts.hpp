// What the files that implement scopes share: spawn.cpp and late_children.cpp
// and, for reducers, views.cpp.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "heist/scope.hpp"
#include "runtime/core/fiber.hpp"

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

// The marks in the state of an entry's slot, after it was stolen.
namespace entry_mark {
inline constexpr rendezvous::word counted = 1;  // the thief has counted the child
inline constexpr rendezvous::word ended = 2;    // the child has ended
inline constexpr rendezvous::word left = 3;     // the child has counted itself and left the slots
}  // namespace entry_mark

// The slot of the entry of a child's spawner, which lies at position h.
inline job& slot_of(const spawned& t, position h) noexcept {
  return *reinterpret_cast<job*>(t.array->slots + h);
}

}  // namespace heist::inline v0::detail
