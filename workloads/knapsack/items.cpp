#include "workloads/knapsack/items.hpp"

#include <algorithm>

#include "workloads/hashing.hpp"

namespace heist::workloads {

namespace {

// All weights are multiples of the unit, and the capacity is one less than such a multiple. So a
// part of the knapsack always stays empty, which no bound can know, and the bound cuts only the
// branches that lose more worth than the empty part could hold. Weights at random would leave
// almost nothing to search.
constexpr std::int64_t weight_unit = 100;

}  // namespace

std::vector<knapsack_item> generate_items(std::size_t count, std::int64_t spread,
                                          std::uint64_t seed) {
  std::vector<knapsack_item> items(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto units = 10 + static_cast<std::int64_t>(random_at(seed, 2 * i) % 10);
    const auto extra = random_at(seed, 2 * i + 1) % static_cast<std::uint64_t>(spread);
    items[i].weight = units * weight_unit;
    items[i].value = items[i].weight + static_cast<std::int64_t>(extra);
  }
  // The densest first; of equally dense ones the heavier, so that the order is one and the same
  // with every library.
  std::sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
    const auto dense_a = a.value * b.weight;
    const auto dense_b = b.value * a.weight;
    return dense_a != dense_b ? dense_a > dense_b : a.weight > b.weight;
  });
  return items;
}

std::int64_t capacity_for(const std::vector<knapsack_item>& items) {
  std::int64_t sum = 0;
  for (const auto& item : items) sum += item.weight;
  return sum / 2 / weight_unit * weight_unit + weight_unit - 1;
}

std::int64_t best_by_table(const std::vector<knapsack_item>& items, std::int64_t capacity) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(capacity / weight_unit) + 1);
  for (const auto& item : items) {
    const auto units = static_cast<std::size_t>(item.weight / weight_unit);
    for (auto room = best.size(); room-- > units;)
      best[room] = std::max(best[room], best[room - units] + item.value);
  }
  return best.back();
}

}  // namespace heist::workloads
