// The results of a deque's operations.
#pragma once

#include <cstdint>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::deque {

// What became of a push.
enum class push_result : std::uint8_t {
  ok,    // the item is in the deque
  full,  // the item isn't in: the deque has its capacity, or the system refused memory to grow
};

// What became of an attempt to steal.
enum class steal_result : std::uint8_t {
  taken,  // the thief has the item
  empty,  // there was nothing for thieves when it looked
  lost,   // another operation got ahead of it; there may be more
};

}  // namespace heist::inline v0::deque
