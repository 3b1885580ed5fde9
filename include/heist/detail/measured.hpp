// What inlined code tells the measurement of work and span (heist/work_span.hpp).
#pragma once

#include <atomic>

#include "heist/detail/export.hpp"
#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

// Whether a measurement runs. Relaxed: a hint; whoever acts on it looks again under a lock.
extern HEIST_API std::atomic<bool> work_is_measured;

// The caller has made the result of that future; to be called before anybody can know.
[[gnu::cold]] HEIST_API void note_result_made(const void* future) noexcept;

// The caller has waited for it.
[[gnu::cold]] HEIST_API void note_result_taken(const void* future) noexcept;
inline void note_result_used(const void* future) noexcept {
  if (work_is_measured.load(std::memory_order_relaxed)) [[unlikely]]
    note_result_taken(future);
}

inline void result_made(const void* future) noexcept {
  if (work_is_measured.load(std::memory_order_relaxed)) [[unlikely]]
    note_result_made(future);
}

}  // namespace heist::inline v0::detail
