// What follows what in task graphs and pipelines.
//
// In a task graph each function follows the closure of its edges.
//
// In a pipeline the passage of item n through stage i precedes that of item m through stage k if
//   P1  it is the same item, and i < k;
//   P2  n < m, and a stage from i to k is in order: the source is one, as stage 0;
//   P3  n + tokens <= m, and i is not behind the last stage in order: with m the items n .. m - 1
//       would be too many under way, so one of them has ended, and n has passed that stage before.
#include <algorithm>
#include <cstddef>

#include "heist/detail/race.hpp"
#include "race/detector.hpp"
#include "race/report.hpp"

namespace heist::inline v0::race {

using detail::race::kind;

void detector::begin_node(const void* run, std::uint32_t index, std::uintptr_t from,
                          std::uintptr_t stack) noexcept {
  std::uint64_t number = 0;
  {
    const apart own;
    graph& g = graphs_[run];
    if (g.number == 0) g.number = ++graph_number_;
    if (index >= most_nodes) reports::give_up("a task graph of more than 32768 functions", 0);
    if (g.before.size() <= index) g.before.resize(index + 1);
    g.now = index + 1;
    number = g.number;
  }
  constexpr auto kind = static_cast<unsigned>(detail::race::kind::node);
  begin_branch_of(run, kind, number << 32U | index, from, stack);
}

void detector::precede(const void* run, std::uint32_t before, std::uint32_t after) noexcept {
  const apart own;
  graph& g = graphs_[run];
  const std::size_t n = std::max(before, after) + std::size_t{1};
  if (g.before.size() < n) g.before.resize(n);
  const std::vector<std::uint64_t>& from = g.before[before];
  std::vector<std::uint64_t>& to = g.before[after];
  to.resize(std::max({to.size(), from.size(), before / std::size_t{64} + 1}));
  for (std::size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
  to[before / 64] |= std::uint64_t{1} << before % 64;
}

void detector::begin_pipeline(const void* run, const bool* in_order, unsigned stages,
                              std::uint64_t tokens) noexcept {
  const apart own;
  graph& g = graphs_[run];
  g = {};
  g.number = ++graph_number_;
  g.tokens = tokens;
  g.next_in_order.resize(stages);
  for (unsigned next = stages, i = stages; i-- != 0;) {
    if (in_order[i]) next = i;
    if (in_order[i]) g.last_in_order = std::max(g.last_in_order, i);
    g.next_in_order[i] = next;
  }
}

void detector::begin_stage(const void* run, unsigned stage, std::uint64_t item, std::uintptr_t from,
                           std::uintptr_t stack) noexcept {
  std::uint64_t index = 0;
  {
    const apart own;
    graph& g = graphs_[run];
    index = stage_index::of(g.number, stage, item);
    g.now = index;
  }
  begin_branch_of(run, static_cast<unsigned>(kind::stage), index, from, stack);
}

bool detector::graph::precedes_now(std::uint64_t index) const noexcept {
  if (next_in_order.empty()) {
    if (now == 0) return false;
    const std::vector<std::uint64_t>& all = before[now - 1];
    const auto function = static_cast<std::uint32_t>(index);
    return function / 64 < all.size() && (all[function / 64] >> function % 64 & 1) != 0;
  }
  const stage_index a(index), b(now);
  if (a.item == b.item) return a.stage < b.stage;  // P1
  if (a.item > b.item) return false;
  if (next_in_order[a.stage] <= b.stage) return true;            // P2
  return b.item - a.item >= tokens && a.stage <= last_in_order;  // P3
}

// The innermost function of a graph that runs, in which that was done, precedes the one that runs.
bool detector::precedes_by_graph(branch_id id) const noexcept {
  for (branch_id b = id; b != 0; b = bags_.origin(b).parent) {
    const branch_origin& o = bags_.origin(b);
    const auto what = static_cast<kind>(beginnings_[o.how].kind);
    if (what != kind::node && what != kind::stage) continue;
    for (const auto& [run, g] : graphs_) {
      const bool has_stages = !g.next_in_order.empty();
      if (has_stages != (what == kind::stage)) continue;
      const stage_index stage(o.index);
      if (has_stages ? stage.run != static_cast<std::uint16_t>(g.number)
                     : o.index >> 32U != g.number)
        continue;
      return g.precedes_now(o.index);
    }
  }
  return false;
}

}  // namespace heist::inline v0::race
