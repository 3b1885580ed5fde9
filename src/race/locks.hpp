// Sets of locks, as sorted numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace heist::inline v0::race {

// A lock that is held with others is in the set with its last bit: two that hold it so are not kept
// from each other.
inline constexpr std::uintptr_t with_others = 1;
// All atomic accesses hold it.
inline constexpr std::uintptr_t lock_of_atomics = 2;

using lock_set = std::vector<std::uintptr_t>;

inline bool contains(const lock_set& large, const lock_set& small) {
  return std::includes(large.begin(), large.end(), small.begin(), small.end());
}
inline lock_set both_of(const lock_set& a, const lock_set& b) {
  lock_set both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}
inline bool are_disjoint(const lock_set& a, const lock_set& b) {
  for (const std::uintptr_t x : a)
    for (const std::uintptr_t y : b)
      if ((x ^ y) <= with_others && (x & y & with_others) == 0) return false;
  return true;
}

}  // namespace heist::inline v0::race
