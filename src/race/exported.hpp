// For functions that the program calls.
#pragma once

#include <cstdint>

#define HEIST_EXPORTED extern "C" [[gnu::visibility("default")]]
#define HEIST_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

namespace heist::inline v0::race {

inline std::uintptr_t number(const volatile void* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p);
}

}  // namespace heist::inline v0::race
