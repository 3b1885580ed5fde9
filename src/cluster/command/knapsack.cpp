#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include <fmt/format.h>

#include <heist/cluster/tree_search.hpp>

#include "cluster/command/programs.hpp"
#include "workloads/knapsack/items.hpp"
#include "workloads/knapsack/knapsack.hpp"

namespace heist::cluster_command {

namespace {

// As many items at the end are decided in a loop.
constexpr std::uint32_t items_of_a_loop = 10;

// A branch as it travels: the items are the same on each rank.
struct decided {
  std::uint32_t items = 0, unused = 0;  // how many are decided
  std::int64_t room = 0, value = 0;
};

// The best value of all ranks as workloads::search_knapsack_serially() knows it.
template <class Search>
struct best_of {
  Search& search;
  [[nodiscard]] std::int64_t value() const { return std::max<std::int64_t>(search.bound(), 0); }
  void raise(std::int64_t value) const { search.raise_bound(value); }
};

}  // namespace

outcome run_knapsack(cluster::context& in, const knapsack_request& request) {
  const auto items = workloads::generate_items(request.items, request.spread, request.seed);
  const auto capacity = workloads::capacity_for(items);
  const auto visit = [&](const decided& now, auto& search) {
    const std::span<const workloads::knapsack_item> rest(items.begin() + now.items, items.end());
    const workloads::knapsack_branch branch{rest, now.room, now.value};
    const best_of<std::remove_reference_t<decltype(search)>> best{search};
    if (branch.bound() <= best.value()) return;
    if (rest.size() <= items_of_a_loop) {
      workloads::search_knapsack_serially(branch, best);
      return search.add(best.value());
    }
    search.push({now.items + 1, 0, now.room, now.value});
    if (!branch.has_room_for_next()) return;
    const auto taken = branch.taking_next();
    search.push({now.items + 1, 0, taken.room, taken.value});  // visited first: it is good
  };
  outcome result{fmt::format("knapsack {} items, spread {}, seed {}", request.items, request.spread,
                             request.seed),
                 "", "branches"};
  const auto best =
      cluster::tree_search(in, result.name, decided{0, 0, capacity, 0}, std::int64_t{0}, visit,
                           [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  result.text = fmt::format("worth {}, {} of weight", best, capacity);
  const auto known = workloads::best_by_table(items, capacity);
  if (best != known) result.mistake = fmt::format("a table of all weights says {}", known);
  return result;
}

}  // namespace heist::cluster_command
