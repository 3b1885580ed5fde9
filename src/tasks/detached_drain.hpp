// What waits for detached tasks may call them itself.
#pragma once

#include "heist/detail/root.hpp"

namespace heist::inline v0::detail {

// If a detached task calls this, and not from inside a fork, a loop or a scope: calls the tasks of
// the family that it has left on its worker's deque, the newest first, up to the first that is of
// another family. False: others must have a turn (may_call_awaited); what was left is in the pool's
// queue now, and the caller should be suspended.
[[nodiscard]] bool run_newest_left_of(const root_family& family) noexcept;

}  // namespace heist::inline v0::detail
