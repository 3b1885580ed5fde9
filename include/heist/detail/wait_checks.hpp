// What locks and the like tell the checks of HEIST_CHECK=1 (src/observe/checks/wait_graph.hpp).
// Without that variable each of these functions is a load and a branch that is never taken.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "heist/detail/export.hpp"

namespace heist::inline v0::detail {

// Whether waits are checked. It never goes back to false. Relaxed: what was locked before it became
// true is unlocked without having been noted, which the checks expect.
extern HEIST_API constinit std::atomic<bool> checking_waits asm("heist_v0_checking_waits");

inline bool waits_are_checked() noexcept { return checking_waits.load(std::memory_order_relaxed); }

// Where an object was made: std::source_location, which clang 14 doesn't have.
struct place {
  const char* file = nullptr;
  std::uint32_t line = 0;

  // As a default argument it stands for the caller's place.
  [[nodiscard]] static constexpr place here(const char* file = __builtin_FILE(),
                                            std::uint32_t line = __builtin_LINE()) noexcept {
    return {file, line};
  }
};

// An object begins at this address: whatever was known of the address before is forgotten.
HEIST_API void note_made_slow(const void* object, place made) noexcept;
constexpr void note_made(const void* object, place made) noexcept {
  // What is initialised at compile time is known by its address alone.
  if (std::is_constant_evaluated()) return;
  if (waits_are_checked()) [[unlikely]]
    note_made_slow(object, made);
}

HEIST_API void name_object(const void* object, std::string_view name) noexcept;

enum class hold_kind : std::uint8_t { exclusive, shared };

// The calling fiber or thread holds the lock from now on, and until now. To be called while it does
// hold it: every hold that the checks know of is one.
HEIST_API void note_acquired(const void* lock, hold_kind kind) noexcept;
HEIST_API void note_released(const void* lock) noexcept;

}  // namespace heist::inline v0::detail
