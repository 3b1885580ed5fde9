// The items that knapsacks are filled from, and the best value by another way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/knapsack/knapsack.hpp"

namespace heist::workloads {

// By falling worth for their weight.
[[nodiscard]] std::vector<knapsack_item> generate_items(std::size_t count, std::int64_t spread,
                                                        std::uint64_t seed);
// Room for half of the items.
[[nodiscard]] std::int64_t capacity_for(const std::vector<knapsack_item>& items);
// The best value by dynamic programming over the capacity in units.
[[nodiscard]] std::int64_t best_by_table(const std::vector<knapsack_item>& items,
                                         std::int64_t capacity);

}  // namespace heist::workloads
