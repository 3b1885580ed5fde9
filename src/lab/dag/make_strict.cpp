#include "lab/dag/make_strict.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::lab {

namespace {

// Instructions keep their numbers; those that are added get the numbers after them.
class rebuilding {
 public:
  explicit rebuilding(const explicit_dag& dag) : dag_(dag), threads_(dag.thread_count()) {
    for (thread_id t = 0; t < dag.thread_count(); ++t)
      for (node_id v = dag.first(t); v <= dag.last(t); ++v) threads_[t].push_back(v);
    for (node_id v = 0; v < dag.node_count(); ++v) {
      thread_of_.push_back(dag.thread_of(v));
      spawned_.push_back(dag.spawned_by(v));
      for (const node_id to : dag.joins_from(v)) joins_.push_back({v, to});
    }
    number_depth_first();
  }

  made_strict operator()(strictness kind) {
    const bool is_strict = kind == strictness::strict;
    for (auto& each : joins_) to_an_ancestor(each);
    if (!is_strict)
      for (auto& each : joins_) from_a_child(each);
    add_joins_to_parents();
    drop_what_is_implied();
    explicit_dag made(source());
    return {std::move(made), moved_, spawned_.size() - dag_.node_count()};
  }

 private:
  struct join {
    node_id from, to;
    friend auto operator<=>(const join&, const join&) = default;
  };

  // The order in which one processor executes them if a spawn continues with the child.
  void number_depth_first() {
    turn_.resize(dag_.node_count());
    std::vector<node_id> stack = {dag_.first(0)};
    for (std::uint32_t turn = 0; !stack.empty(); ++turn) {
      const node_id v = stack.back();
      stack.pop_back();
      turn_[v] = turn;
      if (!dag_.is_last(v)) stack.push_back(v + 1);
      if (spawned_[v] != no_id) stack.push_back(dag_.first(spawned_[v]));
    }
    for (const auto& [from, to] : joins_)
      if (turn_[from] > turn_[to])
        throw usage_error(fmt::format(
            "it can't be executed depth first on one processor: {} waits for {}, which comes later",
            dag_.node_name(to), dag_.node_name(from)));
  }

  // Of t's ancestors, t included, the one whose parent that is.
  [[nodiscard]] thread_id below(thread_id ancestor, thread_id t) const {
    while (dag_.parent(t) != ancestor) t = dag_.parent(t);
    return t;
  }

  void to_an_ancestor(join& each) {
    const thread_id from = dag_.thread_of(each.from), to = dag_.thread_of(each.to);
    if (dag_.is_ancestor(to, from)) return;
    ++moved_;
    thread_id common = to;
    while (!dag_.is_ancestor(common, from)) common = dag_.parent(common);
    each.to = dag_.spawner(below(common, to));
    // One that comes from the common ancestor itself holds anyway.
    if (common == from) each.from = each.to;
  }
  void from_a_child(join& each) {
    const thread_id from = dag_.thread_of(each.from), to = dag_.thread_of(each.to);
    if (from == to || dag_.parent(from) == to) return;
    ++moved_;
    each.from = dag_.last(below(to, from));
  }

  // Each thread's last instruction has one, to the first instruction that waits for it.
  void add_joins_to_parents() {
    for (thread_id t = 0; t < dag_.thread_count(); ++t)
      if (dag_.parent(t) != no_id) joins_.push_back({dag_.last(t), dag_.last(dag_.parent(t))});
  }

  // Of edges from one instruction into one thread the first one implies the others.
  void drop_what_is_implied() {
    std::erase_if(joins_, [](const join& each) { return each.from == each.to; });
    std::sort(joins_.begin(), joins_.end());
    const auto implied = [&](const join& a, const join& b) {
      return a.from == b.from && thread_of_[a.to] == thread_of_[b.to];
    };
    joins_.erase(std::unique(joins_.begin(), joins_.end(), implied), joins_.end());
  }

  // Right after v in that order.
  node_id add_instruction(node_id v) {
    thread_of_.push_back(thread_of_[v]);
    turn_.push_back(turn_[v]);
    spawned_.push_back(no_id);
    return static_cast<node_id>(spawned_.size() - 1);
  }

  // Adds an instruction at the thread's end where its last one spawns a thread that joins it, or
  // where too many edges leave it.
  void make_end(thread_id t) {
    const node_id last = threads_[t].back();
    const bool spawns = spawned_[last] != no_id;
    const auto is_of_its_child = [&](const join& each) {
      return each.to == last && turn_[each.from] > turn_[last];
    };
    const auto leaving = std::ranges::count(joins_, last, &join::from) + (spawns ? 1 : 0);
    if (leaving <= 2 && std::ranges::none_of(joins_, is_of_its_child)) return;
    const node_id end = add_instruction(last);
    threads_[t].push_back(end);
    // One edge may stay beside the one to the new end.
    bool has_room = !spawns;
    for (auto& each : joins_) {
      if (is_of_its_child(each)) each.to = end;
      if (each.from != last) continue;
      const bool stays = has_room && thread_of_[each.to] != dag_.parent(t);
      if (stays)
        has_room = false;
      else
        each.from = end;
    }
  }

  // The model lets no edge enter a thread's first instruction, or the one after a spawn.
  void make_places() {
    for (thread_id t = 0; t < threads_.size(); ++t) make_end(t);
    std::vector<bool> is_entered(spawned_.size());
    for (const auto& each : joins_) is_entered[each.to] = true;
    for (auto& in : threads_) {
      std::vector<node_id> made;
      for (const node_id v : in) {
        if (is_entered[v])
          while (made.empty() || spawned_[made.back()] != no_id) made.push_back(add_instruction(v));
        made.push_back(v);
      }
      in = std::move(made);
    }
  }

  [[nodiscard]] dag_source source() {
    make_places();
    dag_source result;
    result.name = dag_.name();
    result.is_in_ns = dag_.is_in_ns();
    result.regions = dag_.regions();
    std::vector<dag_source::place> places(spawned_.size());
    for (thread_id t = 0; t < threads_.size(); ++t) add_thread(result, t, places);
    for (node_id v = 0; v < spawned_.size(); ++v)
      if (spawned_[v] != no_id) result.spawns.push_back({places[v], spawned_[v]});
    for (const auto& [from, to] : joins_) result.joins.push_back({places[from], places[to]});
    return result;
  }
  void add_thread(dag_source& to, thread_id t, std::vector<dag_source::place>& places) const {
    dag_source::thread made{.name = dag_.thread_name(t),
                            .length = static_cast<std::uint32_t>(threads_[t].size()),
                            .frame = dag_.frame(t),
                            .names = {},
                            .priority = dag_.priority(t)};
    std::uint32_t region = 0;
    for (std::uint32_t i = 0; i < threads_[t].size(); ++i) {
      const node_id v = threads_[t][i];
      const bool is_added = v >= dag_.node_count();
      places[v] = {t, i};
      if (!is_added) region = dag_.region(v);
      if (dag_.has_names(t))
        made.names.push_back(is_added ? fmt::format("added{}", v - dag_.node_count() + 1)
                                      : dag_.node_name(v));
      if (dag_.has_weights()) made.weights.push_back(is_added ? 1 : dag_.weight(v));
      if (!dag_.regions().empty()) made.regions.push_back(region);
    }
    to.threads.push_back(std::move(made));
  }

  const explicit_dag& dag_;
  std::vector<std::vector<node_id>> threads_;  // their instructions
  // By instruction, added ones included.
  std::vector<thread_id> thread_of_, spawned_;
  std::vector<std::uint32_t> turn_;
  std::vector<join> joins_;
  std::uint64_t moved_ = 0;
};

}  // namespace

made_strict make_strict(const explicit_dag& dag, strictness kind) {
  if (kind == strictness::general || dag.kind() >= kind) return {dag};
  return rebuilding(dag)(kind);
}

}  // namespace heist::lab
