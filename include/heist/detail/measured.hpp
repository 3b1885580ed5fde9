// What inlined code tells the measurement of work and span (heist/work_span.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/detail/export.hpp"
#include "heist/detail/observers.hpp"
#include "heist/detail/requirements.hpp"

namespace heist::inline v0::detail {

inline constexpr unsigned observed_for_work = 2;  // in observers

// Whether a measurement runs. Relaxed: as observers says.
inline bool measures_work() noexcept {
  return (observers.load(std::memory_order_relaxed) & observed_for_work) != 0;
}

// The caller has made the result of that future; to be called before anybody can know.
[[gnu::cold]] HEIST_API void note_result_made(const void* future) noexcept;

// The caller has waited for it.
[[gnu::cold]] HEIST_API void note_result_taken(const void* future) noexcept;
inline void note_result_used(const void* future) noexcept {
  if (measures_work()) [[unlikely]]
    note_result_taken(future);
}

inline void result_made(const void* future) noexcept {
  if (measures_work()) [[unlikely]]
    note_result_made(future);
}

// ---- Pipelines. `run` is the address of what one run has, and stands for it; `gate` likewise for
// a stage that lets one item through at a time.

[[gnu::cold]] HEIST_API void note_pipeline_begins(const void* run) noexcept;
[[gnu::cold]] HEIST_API void note_pipeline_ends(const void* run, std::uint64_t tokens) noexcept;
// The caller has the lock of the source.
[[gnu::cold]] HEIST_API void note_item_begins(const void* run, std::uint64_t number,
                                              std::uint64_t tokens) noexcept;
[[gnu::cold]] HEIST_API void note_item_given(const void* run) noexcept;
[[gnu::cold]] HEIST_API void note_item_ends(const void* run, std::uint64_t number,
                                            std::uint64_t tokens) noexcept;
[[gnu::cold]] HEIST_API void note_gate_made(const void* gate) noexcept;
[[gnu::cold]] HEIST_API void note_gate_entered(const void* gate) noexcept;
[[gnu::cold]] HEIST_API void note_gate_left(const void* gate) noexcept;

}  // namespace heist::inline v0::detail
