#include "lab/dag/random_dag.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lab/model/random.hpp"

namespace heist::lab {

namespace {

constexpr std::uint64_t thread_length = 8;  // on average
constexpr std::uint64_t greatest_frame = 8;

// A thread's instructions are drawn before the joins: which of them spawn, and which a join may
// enter.
class builder {
 public:
  builder(strictness kind, std::uint64_t size, std::uint64_t seed)
      : kind_(kind), random_(seed, static_cast<std::uint64_t>(kind)) {
    draw_tree(1 + (size - 1) / thread_length);
    draw_lengths(size);
    place_spawns();
    join_with_parents();
    if (kind_ == strictness::strict) join_with_ancestors();
    source_.name = fmt::format("random {}, {} instructions, seed {}", to_string(kind), size, seed);
  }

  explicit_dag build() {
    if (kind_ != strictness::general) return explicit_dag(std::move(source_));
    const explicit_dag with_parents(source_);
    join_anywhere(with_parents);
    return explicit_dag(std::move(source_));
  }

 private:
  using place = dag_source::place;

  struct thread {
    thread_id parent = no_id;
    std::uint32_t spawner = 0;  // the parent's instruction
    std::vector<thread_id> children;
    std::vector<bool> spawns;        // by instruction
    std::vector<std::uint32_t> out;  // by instruction: the edges out of it
  };

  // The parent is one of the newest threads one time in eight, which makes chains, and any thread
  // otherwise.
  void draw_tree(std::uint64_t count) {
    threads_.resize(count);
    for (thread_id t = 1; t < count; ++t) {
      const std::uint64_t newest = std::min<std::uint64_t>(t, 3);
      const auto parent = static_cast<thread_id>(
          random_.chance(1, 8) ? t - 1 - random_.below(newest) : random_.below(t));
      threads_[t].parent = parent;
      threads_[parent].children.push_back(t);
    }
  }

  // A thread has an instruction for each spawn, and two more after the last: no join may enter the
  // one right after a spawn.
  void draw_lengths(std::uint64_t size) {
    std::uint64_t used = 0;
    for (const auto& each : threads_) {
      const auto children = static_cast<std::uint32_t>(each.children.size());
      source_.threads.push_back(
          {"", children == 0 ? 1 : children + 2, 1 + random_.below(greatest_frame), {}});
      used += source_.threads.back().length;
    }
    for (; used < size; ++used) ++source_.threads[random_.below(threads_.size())].length;
  }

  void place_spawns() {
    for (thread_id t = 0; t < threads_.size(); ++t) {
      auto& body = threads_[t];
      const std::uint32_t length = source_.threads[t].length;
      body.spawns.assign(length, false);
      body.out.assign(length, 1);
      body.out.back() = 0;
      // Chooses a place for each child out of length - 2; each set of places is equally likely.
      std::uint32_t left = static_cast<std::uint32_t>(body.children.size());
      if (left == 0) continue;
      auto child = body.children.begin();
      for (std::uint32_t i = 0; i + 2 < length && left > 0; ++i) {
        if (!random_.chance(left, length - 2 - i)) continue;
        body.spawns[i] = true;
        ++body.out[i];
        threads_[*child].spawner = i;
        source_.spawns.push_back({{t, i}, *child++});
        --left;
      }
    }
  }

  // An instruction of `older` after its spawn of `below` that a join may enter. The last one always
  // may.
  place target_after(thread_id older, thread_id below) {
    const auto& body = threads_[older];
    const std::uint32_t least = threads_[below].spawner + 2;
    const auto last = source_.threads[older].length - 1;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const auto i = static_cast<std::uint32_t>(random_.between(least, last));
      if (!body.spawns[i - 1]) return {older, i};
    }
    return {older, last};
  }

  void join(place from, place to) {
    source_.joins.push_back({from, to});
    ++threads_[from.thread].out[from.instruction];
  }

  // Of the instructions that could join, besides a thread's last, a fifth does.
  bool may_join_too(thread_id t, std::uint32_t i) {
    return threads_[t].out[i] < 2 && i + 1 < source_.threads[t].length && random_.chance(1, 5);
  }

  void join_with_parents() {
    for (thread_id t = 1; t < threads_.size(); ++t) {
      const thread_id parent = threads_[t].parent;
      const std::uint32_t length = source_.threads[t].length;
      join({t, length - 1}, target_after(parent, t));
      if (kind_ == strictness::fully_strict)
        for (std::uint32_t i = 0; i < length; ++i)
          if (may_join_too(t, i)) join({t, i}, target_after(parent, t));
    }
  }

  // Only its spawn edge enters a subtree. So a join that enters an ancestor after the spawn that
  // leads to the subtree makes no cycle.
  void join_with_ancestors() {
    for (thread_id t = 1; t < threads_.size(); ++t)
      for (std::uint32_t i = 0; i < source_.threads[t].length; ++i) {
        if (!may_join_too(t, i)) continue;
        thread_id below = t;
        while (threads_[threads_[below].parent].parent != no_id && random_.chance(2, 3))
          below = threads_[below].parent;
        join({t, i}, target_after(threads_[below].parent, below));
      }
  }

  // Draws a random topological order and lets all joins follow it, so that there can be no cycle.
  void join_anywhere(const explicit_dag& dag) {
    const auto order = draw_order(dag);
    const auto place_of = [&](node_id v) {
      return place{dag.thread_of(v), v - dag.first(dag.thread_of(v))};
    };
    const auto target = [&](std::size_t after, thread_id other_than) -> place {
      for (int attempt = 0; attempt < 8; ++attempt) {
        const node_id v = order[random_.between(after, order.size() - 1)];
        const auto to = place_of(v);
        if (to.thread != other_than && to.instruction > 0 &&
            !threads_[to.thread].spawns[to.instruction - 1])
          return to;
      }
      return {no_id, 0};
    };
    std::vector<std::size_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    for (auto& each : source_.joins) {  // the last instructions'
      const node_id from = dag.first(each.from.thread) + each.from.instruction;
      if (!random_.chance(1, 4)) continue;
      const auto to = target(rank[from] + 1, each.from.thread);
      if (to.thread != no_id) each.to = to;
    }
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      const auto from = place_of(order[i]);
      if (!may_join_too(from.thread, from.instruction)) continue;
      const auto to = target(i + 1, from.thread);
      if (to.thread != no_id) join(from, to);
    }
  }

  std::vector<node_id> draw_order(const explicit_dag& dag) {
    std::vector<std::uint32_t> waits;
    for (node_id v = 0; v < dag.node_count(); ++v) waits.push_back(dag.in_degree(v));
    std::vector<node_id> ready = {dag.first(0)};
    std::vector<node_id> order;
    while (!ready.empty()) {
      std::swap(ready[random_.below(ready.size())], ready.back());
      const node_id v = ready.back();
      ready.pop_back();
      order.push_back(v);
      dag.each_edge(v, [&](const explicit_dag::edge& e) {
        if (--waits[e.to] == 0) ready.push_back(e.to);
      });
    }
    return order;
  }

  strictness kind_;
  rng random_;
  std::vector<thread> threads_;
  dag_source source_;
};

}  // namespace

explicit_dag random_dag(strictness kind, std::uint64_t size, std::uint64_t seed) {
  if (size == 0 || size > explicit_dag::max_nodes)
    throw usage_error(fmt::format("a random DAG has 1 to {} instructions, not {}",
                                  explicit_dag::max_nodes, size));
  return builder(kind, size, seed).build();
}

}  // namespace heist::lab
