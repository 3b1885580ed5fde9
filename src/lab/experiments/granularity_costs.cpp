#include "lab/experiments/granularity_costs.hpp"

#include <cmath>
#include <cstddef>

namespace heist::lab {

namespace {

__extension__ using wide = unsigned __int128;

constexpr std::uint64_t mean = 1U << 20U;  // the mean cost before scaling
constexpr std::uint64_t redrawn_of = 8;    // one grain of so many is drawn anew from run to run
constexpr std::uint64_t share_of = 2;      // the long one has 1/2 of a processor's share

// Von Neumann's method (1951): the length of a falling sequence of random numbers decides.
std::uint64_t exponential(rng& random) {
  for (std::uint64_t whole = 0;; ++whole) {
    const auto first = random.next();
    auto last = first;
    for (bool is_odd = true;; is_odd = !is_odd) {
      const auto next = random.next();
      if (next < last) {
        last = next;
        continue;
      }
      if (is_odd) return whole * mean + static_cast<std::uint64_t>(wide{first} * mean >> 64U);
      break;
    }
  }
}

std::uint64_t pareto(rng& random) {
  const double above = static_cast<double>((random.next() >> 11U) + 1) * 0x1p-53;  // (0, 1]
  return static_cast<std::uint64_t>(static_cast<double>(mean / 2) / std::sqrt(above));
}

std::uint64_t draw(cost_kind kind, rng& random) {
  switch (kind) {
    case cost_kind::uniform:
      return random.below(2 * mean + 1);
    case cost_kind::exponential:
      return exponential(random);
    case cost_kind::pareto:
      return pareto(random);
    case cost_kind::equal:
    case cost_kind::one_long:
      break;
  }
  return mean;
}

// Scales the costs so that they sum up to `work`, with at least a step for each.
std::vector<std::uint64_t> scaled(const std::vector<std::uint64_t>& costs, std::uint64_t work) {
  wide total = 0;
  for (const auto cost : costs) total += cost;
  if (total == 0) return scaled(std::vector<std::uint64_t>(costs.size(), 1), work);
  const auto to_deal_out = work - costs.size();
  wide so_far = 0;
  std::uint64_t dealt_out = 0;
  std::vector<std::uint64_t> result;
  result.reserve(costs.size());
  for (const auto cost : costs) {
    so_far += cost;
    const auto until = static_cast<std::uint64_t>(to_deal_out * so_far / total);
    result.push_back(1 + until - dealt_out);
    dealt_out = until;
  }
  return result;
}

}  // namespace

const std::vector<cost_name>& cost_names() {
  static const std::vector<cost_name> all = {
      {cost_kind::equal, "equal", "all iterations cost the same"},
      {cost_kind::uniform, "uniform", "from nothing to twice the mean"},
      {cost_kind::exponential, "exponential", "exponentially distributed"},
      {cost_kind::pareto, "pareto", "long-tailed, of infinite variance"},
      {cost_kind::one_long, "one-long", "equal, but the last has half of a processor's share"},
  };
  return all;
}

std::string_view to_string(cost_kind kind) {
  for (const auto& each : cost_names())
    if (each.kind == kind) return each.name;
  return {};
}

const std::vector<hint_name>& hint_names() {
  static const std::vector<hint_name> all = {
      {hint_kind::exact, "exact", "the cost itself"},
      {hint_kind::noisy, "noisy", "off by a factor from 1/2 to 2"},
      {hint_kind::history, "history", "the run before, since which 1/8 of the costs changed"},
  };
  return all;
}

std::string_view to_string(hint_kind kind) {
  for (const auto& each : hint_names())
    if (each.kind == kind) return each.name;
  return {};
}

grain_costs draw_costs(cost_kind kind, std::uint64_t work, std::uint64_t grains,
                       std::uint64_t processors, rng& random) {
  std::vector<std::uint64_t> now(static_cast<std::size_t>(grains));
  for (auto& cost : now) cost = draw(kind, random);
  auto before = now;
  if (kind == cost_kind::one_long) {
    const auto length = (grains - 1) * mean / (share_of * processors - 1);
    now.back() = length;
    (random.chance(1, redrawn_of) ? before[random.below(grains)] : before.back()) = length;
  } else {
    for (auto& cost : before)
      if (random.chance(1, redrawn_of)) cost = draw(kind, random);
  }
  return {scaled(now, work), scaled(before, work)};
}

std::uint64_t noisy(std::uint64_t cost, rng& random) {
  constexpr unsigned bits = 16;
  // 1 to 2, with so many bits after the point.
  const auto factor = random.between(1U << bits, 2U << bits);
  return random.chance(1, 2) ? static_cast<std::uint64_t>(wide{cost} * factor >> bits)
                             : static_cast<std::uint64_t>((wide{cost} << bits) / factor);
}

}  // namespace heist::lab
