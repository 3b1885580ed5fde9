// What a look at a pool's workers finds: why one of them is idle, and how many fibers wait.
#pragma once

#include <cstdint>

#include "heist/stats.hpp"

namespace heist::inline v0::detail {

struct worker;
class pool_impl;

// Fibers beyond those on which the workers' loops run: they wait for something. Of the moment.
[[nodiscard]] std::uint64_t suspended_fibers(const pool_impl& p) noexcept;

// The reason why the worker has nothing to do, by a look round.
[[nodiscard]] idle_reason why_idle(const worker& w) noexcept;

}  // namespace heist::inline v0::detail
