#include "lab/experiments/bounds.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::lab {

namespace {

using node_set = std::uint64_t;

constexpr node_set only(node_id v) { return node_set{1} << v; }

class search {
 public:
  search(const explicit_dag& dag, std::uint64_t processors, std::uint64_t most_states)
      : processors_(static_cast<int>(std::min<std::uint64_t>(processors, 64))),
        most_states_(most_states),
        all_(~node_set{0} >> (64 - dag.node_count())),
        before_(dag.node_count()) {
    for (node_id v = 0; v < dag.node_count(); ++v)
      dag.each_edge(v, [&](const explicit_dag::edge& e) { before_[e.to] |= only(v); });
  }

  // The sets of instructions that all greedy schedules have executed after 0, 1, 2 .. steps.
  greedy_lengths operator()() {
    greedy_lengths result;
    std::vector<node_set> now = {0};
    for (std::uint64_t step = 1; !now.empty(); ++step) {
      for (const node_set executed : now) extend(executed);
      std::sort(next_.begin(), next_.end());
      next_.erase(std::unique(next_.begin(), next_.end()), next_.end());
      result.states += next_.size();
      if (result.states > most_states_) refuse();
      // Of the sets `all_` is the largest.
      if (next_.back() == all_) {
        if (result.shortest == 0) result.shortest = step;
        result.longest = step;
        next_.pop_back();
      }
      now = std::exchange(next_, {});
    }
    return result;
  }

 private:
  [[noreturn]] void refuse() const {
    throw usage_error(fmt::format("its greedy schedules have more than {} states", most_states_));
  }

  void extend(node_set executed) {
    node_set ready = 0;
    for (node_id v = 0; v < before_.size(); ++v)
      if ((executed & only(v)) == 0 && (before_[v] & ~executed) == 0) ready |= only(v);
    const int count = std::popcount(ready);
    if (count <= processors_)
      next_.push_back(executed | ready);
    else
      choose(executed, ready, processors_);
    // Many schedules lead to the same sets.
    if (next_.size() < 2 * most_states_) return;
    std::sort(next_.begin(), next_.end());
    next_.erase(std::unique(next_.begin(), next_.end()), next_.end());
    if (next_.size() > most_states_) refuse();
  }

  // Every way to execute that many of the ready instructions.
  void choose(node_set executed, node_set ready, int many) {
    if (many == 0) return next_.push_back(executed);
    for (; std::popcount(ready) >= many; ready &= ready - 1)
      choose(executed | (ready & -ready), ready & (ready - 1), many - 1);
  }

  int processors_;
  std::uint64_t most_states_;
  node_set all_;
  std::vector<node_set> before_;  // by instruction: those from which an edge comes
  std::vector<node_set> next_;
};

}  // namespace

bounds bounds_of(const measures& measured, std::uint64_t processors) {
  const auto p = static_cast<double>(processors);
  const auto work = static_cast<double>(measured.work);
  const auto span = static_cast<double>(measured.span);
  bounds result;
  result.processors = processors;
  result.least_time = std::max(work / p, span);
  result.greedy_time = work / p + span;
  result.most_speedup = work / result.least_time;
  result.sure_speedup = work / result.greedy_time;
  result.space = static_cast<double>(measured.stack_depth) * p;
  result.communication = p * span * (1 + static_cast<double>(measured.most_joins)) *
                         static_cast<double>(measured.largest_frame);
  return result;
}

greedy_lengths try_greedy_schedules(const explicit_dag& dag, std::uint64_t processors,
                                    std::uint64_t most_states) {
  if (processors == 0) throw usage_error("P is at least 1");
  if (dag.has_weights())
    throw usage_error("schedules are tried of DAGs whose instructions all take one unit");
  if (dag.node_count() > max_instructions_to_try)
    throw usage_error(fmt::format("schedules are tried of at most {} instructions, not of {}",
                                  max_instructions_to_try, dag.node_count()));
  return search(dag, processors, most_states)();
}

}  // namespace heist::lab
