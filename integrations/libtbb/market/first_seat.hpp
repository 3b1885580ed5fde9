// The caller, with a seat: a thread from outside takes one in an arena of its own, which is made
// when it first needs it.
#pragma once

#include "arenas/arena.hpp"
#include "arenas/participant.hpp"
#include "market/market.hpp"

namespace heist::inline v0::libtbb {

// Not inlined: once for a thread. Throws std::bad_alloc.
[[gnu::noinline]] inline void take_first_seat(participant& me) {
  worker_market& m = worker_market::instance();
  work_arena& own =
      m.make_arena(m.pool_size(), 1, static_cast<int>(d1::task_arena_base::priority::normal));
  static_cast<void>(own.sit_down(me));  // the first of the seats
  me.outside.context = &own.default_context();
}

[[nodiscard]] inline participant& seated_self() {
  participant& me = self();
  if (me.at == nullptr) [[unlikely]]
    take_first_seat(me);
  return me;
}

}  // namespace heist::inline v0::libtbb
