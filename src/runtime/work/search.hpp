// How a worker looks for work of others: whom it tries, and what it does after an attempt in vain.
#pragma once

#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// A guest steals only what belongs to its own call, unless the pool says otherwise: it must not be
// held by another call's long job when its own call has ended.
[[nodiscard]] bool may_steal_from(const worker& w, const worker& victim) noexcept;

// The attempts of one round; what was stolen, or nullptr.
[[nodiscard]] job* steal_round(worker& w, unsigned round) noexcept;

}  // namespace heist::inline v0::detail
