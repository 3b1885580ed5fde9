// Checks the capacity with which a deque is made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "heist/error.hpp"

namespace heist::inline v0::deque {

// Returns `capacity` if the deque can have it; otherwise throws usage_error, which names the limit.
inline std::size_t checked_capacity(std::string_view deque, std::size_t capacity,
                                    std::size_t most) {
  if (capacity >= 1 && capacity <= most) return capacity;
  throw usage_error(std::string(deque) + ": a capacity of " + std::to_string(capacity) +
                    "; it must be from 1 to " + std::to_string(most));
}

// The same for a ring whose positions are masked. `most` is a power of two.
inline std::size_t checked_ring_capacity(std::string_view deque, std::size_t capacity,
                                         std::size_t most) {
  checked_capacity(deque, capacity, most);
  if ((capacity & (capacity - 1)) == 0) return capacity;
  throw usage_error(std::string(deque) + ": a capacity of " + std::to_string(capacity) +
                    "; it must be a power of two, at most " + std::to_string(most));
}

}  // namespace heist::inline v0::deque
