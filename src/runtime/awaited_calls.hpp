// A function that waits calls what it waits for, if nobody has begun that: then the wait needs no
// stack of its own, and a recursion of waits runs depth first, as a serial program would.
//
// Whoever waits loses nothing by it, but others might: so it is suspended instead where little is
// left of its stack, and now and then where something else waits at the pool's entry.
#pragma once

#include "runtime/worker.hpp"

namespace heist::inline v0::detail {

// Whether the running function may call what it waits for, on that worker.
[[nodiscard]] bool may_call_awaited(worker& w) noexcept;

}  // namespace heist::inline v0::detail
