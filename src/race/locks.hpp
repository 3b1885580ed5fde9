// Sets of locks, as sorted numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace heist::inline v0::race {

// A lock that is held with others is in the set with its last bit: two that hold it so are not kept
// from each other.
inline constexpr std::uintptr_t with_others = 1;
// All atomic accesses hold it.
inline constexpr std::uintptr_t lock_of_atomics = 2;

inline bool are_disjoint(const std::vector<std::uintptr_t>& a,
                         const std::vector<std::uintptr_t>& b) {
  for (const std::uintptr_t x : a)
    for (const std::uintptr_t y : b)
      if ((x ^ y) <= with_others && (x & y & with_others) == 0) return false;
  return true;
}

}  // namespace heist::inline v0::race
