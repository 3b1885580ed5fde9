// The machinery of <heist/partitioner.hpp>: how each of them cuts the range.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heist/detail/one_at_a_time.hpp"
#include "heist/detail/parallel/crew.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/partitioner.hpp"

namespace heist::inline v0 {

template <class Work>
inline void on_demand::run(std::size_t n, const Work& work, unsigned workers) const {
  detail::split_and_look(n, work, workers);
}

template <class Work>
inline void static_blocks::run(std::size_t n, const Work& work, unsigned workers) const {
  const auto bound = [=](unsigned i) { return n / workers * i + n % workers * i / workers; };
  detail::run_crew(work, workers, [&](unsigned i, const auto& run) {
    if (bound(i) != bound(i + 1)) run(bound(i), bound(i + 1));
  });
}

template <class Work>
inline void weighted_blocks::run(std::size_t n, const Work& work, unsigned workers) const {
  const auto at = bounds(n, workers);
  detail::run_crew(work, workers, [&](unsigned i, const auto& run) {
    if (at[i] != at[i + 1]) run(at[i], at[i + 1]);
  });
}

template <class Work>
inline void interleaved::run(std::size_t n, const Work& work, unsigned workers) const {
  const std::size_t each = chunk < 1 ? 1 : chunk;
  const std::size_t chunks = n / each + (n % each != 0 ? 1 : 0);
  detail::run_crew(work, workers, [&](unsigned i, const auto& run) {
    for (std::size_t c = i; c < chunks; c += workers)
      if (!run(c * each, n - c * each < each ? n : (c + 1) * each)) return;
  });
}

template <class Work>
inline void dynamic::run(std::size_t n, const Work& work, unsigned workers) const {
  const std::size_t each = chunk < 1 ? 1 : chunk;
  detail::run_crew_by_counter(n, work, workers, [=](std::size_t) { return each; });
}

template <class Work>
inline void guided::run(std::size_t n, const Work& work, unsigned workers) const {
  const std::size_t least = chunk < 1 ? 1 : chunk;
  detail::run_crew_by_counter(n, work, workers, [=](std::size_t left) {
    const std::size_t share = left / (2 * std::size_t{workers});
    return share < least ? least : share;
  });
}

template <class Work>
inline void semi_static::run(std::size_t n, const Work& work, unsigned workers) {
  const detail::one_at_a_time::use alone(lock_);
  if (n != n_ || workers + std::size_t{1} != bounds_.size()) start(n, workers);
  const bool measures = round_++ % rounds_ == 0;
  detail::run_crew(work, workers, [&](unsigned i, const auto& run) {
    const std::size_t end = bounds_[i + 1];
    if (!measures) {
      if (bounds_[i] != end) run(cell(bounds_[i]), cell(end));
      return;
    }
    std::uint64_t before = detail::ticks();
    for (std::size_t c = bounds_[i]; c != end; ++c) {
      if (!run(cell(c), cell(c + 1))) return;
      const std::uint64_t now = detail::ticks();
      costs_[c] = now - before;
      before = now;
    }
  });
  if (measures) assign();
}

inline std::size_t semi_static::cell(std::size_t c) const noexcept {
  const std::size_t cells = costs_.size();
  return n_ / cells * c + n_ % cells * c / cells;
}

template <class Work>
inline void affinity::run(std::size_t n, const Work& work, unsigned workers) {
  const detail::one_at_a_time::use alone(lock_);
  start(n, workers);
  const std::size_t blocks = homes_.size();
  detail::run_crew(work, workers, [&](unsigned, const auto& run) {
    // The blocks don't come from left to right, so `false` from run() doesn't end this: run()
    // itself skips what is not wanted any more.
    for (std::size_t b = take_block(); b != blocks; b = take_block()) run(bound(b), bound(b + 1));
  });
}

inline std::size_t affinity::bound(std::size_t b) const noexcept {
  const std::size_t blocks = homes_.size();
  return n_ / blocks * b + n_ % blocks * b / blocks;
}

}  // namespace heist::inline v0
