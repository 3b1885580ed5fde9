// The caller, with a seat: a thread from outside takes one in an arena of its own, which is made
// when it first needs it.
#pragma once

#include "arenas/participant.hpp"

namespace heist::inline v0::libtbb {

// Throws std::bad_alloc.
void take_first_seat(participant& me);

[[nodiscard]] inline participant& seated_self() {
  participant& me = self();
  if (me.at == nullptr) [[unlikely]]
    take_first_seat(me);
  return me;
}

}  // namespace heist::inline v0::libtbb
