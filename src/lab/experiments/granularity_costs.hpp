// The costs of a loop's pieces, drawn from a distribution, and what a scheduler knows of them
// before the loop runs. Their sum is given: the work is the same in whatever pieces.
//
// Drawing uses only comparisons, integers and square roots, so that the bytes don't depend on a
// mathematical library.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/model/random.hpp"

namespace heist::lab {

enum class cost_kind {
  equal,
  uniform,  // from nothing to twice the mean
  exponential,
  pareto,    // long-tailed: P(cost > x) = (mean / 2x)^2, of infinite variance
  one_long,  // equal, but the last one has half of a processor's share of the work
};

struct cost_name {
  cost_kind kind;
  std::string_view name, summary;
};

[[nodiscard]] const std::vector<cost_name>& cost_names();
[[nodiscard]] std::string_view to_string(cost_kind kind);

// The estimates by which tasks are ordered by length.
enum class hint_kind {
  exact,
  noisy,    // each task off by a factor from 1/2 to 2
  history,  // the cost in the run before, since when an eighth of the grains was redrawn
};

struct hint_name {
  hint_kind kind;
  std::string_view name, summary;
};

[[nodiscard]] const std::vector<hint_name>& hint_names();
[[nodiscard]] std::string_view to_string(hint_kind kind);

// The costs of a loop's grains, the finest pieces that it can be cut into; each takes at least a
// step.
struct grain_costs {
  std::vector<std::uint64_t> now, before;  // in this run and in the one before, with the same sum
};

// `work` >= `grains` >= `processors` >= 1.
[[nodiscard]] grain_costs draw_costs(cost_kind kind, std::uint64_t work, std::uint64_t grains,
                                     std::uint64_t processors, rng& random);

// An estimate that is off by a factor from 1/2 to 2.
[[nodiscard]] std::uint64_t noisy(std::uint64_t cost, rng& random);

}  // namespace heist::lab
