// What the scheduler's loop runs, with what a measured pool notes of it.
#pragma once

#include "runtime/strands.hpp"
#include "runtime/tracing.hpp"
#include "runtime/wait_graph.hpp"

namespace heist::inline v0::detail {

// What was pushed as a fork, or as a scope's child.
inline void run_job(worker& w, job& j) noexcept {
  if (is_measured(w)) [[unlikely]]
    strands::begin_job(w, j);
  if (tracing::is_on()) [[unlikely]]
    tracing::begin_job(w);
  run_noted(*w.current, &j.state, j);
  worker& now = self_worker();  // it may be another
  if (tracing::is_on()) [[unlikely]]
    tracing::end_job(now);
  if (is_measured(now)) [[unlikely]]
    strands::stop(now, strands::of(*now.current.get()));
}

// One that isn't awaited is gone afterwards.
inline void run_root(worker& w, root& r) noexcept {
  const bool is_awaited = r.is_awaited;
  if (is_measured(w)) [[unlikely]]
    strands::begin_root(w, r);
  if (tracing::is_on()) [[unlikely]]
    tracing::begin_root(w, r);
  run_noted(*w.current, is_awaited ? &r.state : nullptr, r);
  worker& now = self_worker();
  if (tracing::is_on()) [[unlikely]]
    tracing::end_job(now);
  if (is_measured(now)) [[unlikely]]
    strands::end_root(now, is_awaited ? &r : nullptr);
}

}  // namespace heist::inline v0::detail
