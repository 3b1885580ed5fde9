#include "market/first_seat.hpp"

#include "arenas/arena.hpp"
#include "market/market.hpp"

namespace heist::inline v0::libtbb {

// Not inlined: once for a thread.
[[gnu::noinline]] void take_first_seat(participant& me) {
  worker_market& m = worker_market::instance();
  work_arena& own =
      m.make_arena(m.pool_size(), 1, static_cast<int>(d1::task_arena_base::priority::normal));
  static_cast<void>(own.sit_down(me));  // the first of the seats
  me.outside.context = &own.default_context();
}

}  // namespace heist::inline v0::libtbb
