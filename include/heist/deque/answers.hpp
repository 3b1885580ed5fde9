// The results of a deque's operations.
#pragma once

#include <cstdint>

#include "heist/detail/requirements.hpp"

namespace heist::inline v0::deque {

enum class push_result : std::uint8_t {
  ok,
  full,  // the item isn't in: the deque has its capacity, or the system refused memory to grow
};

enum class steal_result : std::uint8_t {
  taken,
  empty,  // there was nothing for thieves when it looked
  lost,   // another operation got ahead of it; there may be more
};

}  // namespace heist::inline v0::deque
