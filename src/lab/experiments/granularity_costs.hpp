// What the pieces of a loop cost, drawn from a distribution, and what is known of it before the loop runs. The sum is given:
// the same work, in whatever pieces.
//
// Drawn by comparisons, integers and square roots, so that no mathematical library has a say in the bytes.
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

// What an order by length goes by.
enum class hint_kind {
  exact,
  noisy,    // each task off by a factor from 1/2 to 2
  history,  // what it cost in the run before; since then an eighth of the grains were drawn anew
};

struct hint_name {
  hint_kind kind;
  std::string_view name, summary;
};

[[nodiscard]] const std::vector<hint_name>& hint_names();
[[nodiscard]] std::string_view to_string(hint_kind kind);

// A loop's iterations, the finest pieces that it can be cut into: a step at least for each.
struct grain_costs {
  std::vector<std::uint64_t> now, before;  // in this run, in the one before; the same sum
};

// `work` >= `grains` >= `processors` >= 1.
[[nodiscard]] grain_costs draw_costs(cost_kind kind, std::uint64_t work, std::uint64_t grains,
                                     std::uint64_t processors, rng& random);

// An estimate that is off by a factor from 1/2 to 2.
[[nodiscard]] std::uint64_t noisy(std::uint64_t cost, rng& random);

}  // namespace heist::lab
