// Who looks at what a program does.
#pragma once

#include <atomic>

#include "heist/detail/export.hpp"
#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

// Bit 0: a trace. Bit 1: work and span. 0 when nobody does. Relaxed: a hint; the one that acts on
// it looks again under a lock.
extern HEIST_API std::atomic<unsigned> observers;
inline constexpr unsigned observed_for_trace = 1;

}  // namespace heist::inline v0::detail
