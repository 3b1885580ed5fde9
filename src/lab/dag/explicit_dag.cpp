#include "lab/dag/explicit_dag.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace heist::lab {

namespace {

using part = dag_error::part;

// The nodes of one cycle, in order. The search begins at a node that the topological sort could not
// reach. Each such node has a predecessor that the sort could not reach either, so walking back
// closes a cycle.
std::vector<node_id> find_cycle(const explicit_dag& dag, const std::vector<std::uint32_t>& waits) {
  std::vector<node_id> before(dag.node_count(), no_id);
  node_id at = no_id;
  for (node_id v = 0; v < dag.node_count(); ++v) {
    if (waits[v] == 0) continue;
    at = v;
    dag.each_edge(v, [&](const explicit_dag::edge& e) { before[e.to] = v; });
  }
  std::vector<bool> seen(dag.node_count());
  while (!seen[at]) {
    seen[at] = true;
    at = before[at];
  }
  std::vector<node_id> cycle = {at};
  for (node_id v = before[at]; v != at; v = before[v]) cycle.push_back(v);
  std::reverse(cycle.begin() + 1, cycle.end());
  return cycle;
}

constexpr std::size_t cycle_names_shown = 8;

}  // namespace

std::string_view to_string(strictness kind) {
  switch (kind) {
    case strictness::fully_strict:
      return "fully strict";
    case strictness::strict:
      return "strict";
    case strictness::general:
      break;
  }
  return "general";
}

explicit_dag::explicit_dag(dag_source source)
    : name_(std::move(source.name)),
      region_names_(std::move(source.regions)),
      is_in_ns_(source.is_in_ns) {
  add_threads(source);
  add_spawns(source);
  build_tree();
  add_joins(source);
  check_ends();
  measure_paths(source);
  classify(source);
}

void explicit_dag::add_threads(dag_source& source) {
  if (source.threads.empty()) throw dag_error(part::whole, 0, "a DAG has at least one thread");
  std::uint64_t nodes = 0;
  for (std::size_t t = 0; t < source.threads.size(); ++t) {
    auto& given = source.threads[t];
    const auto name = given.name.empty() ? fmt::format("G{}", t + 1) : given.name;
    if (given.length == 0)
      throw dag_error(part::thread, t, fmt::format("thread {} has no instruction", name));
    if (!given.names.empty() && given.names.size() != given.length)
      throw dag_error(part::thread, t,
                      fmt::format("thread {} has {} instructions and {} names for them", name,
                                  given.length, given.names.size()));
    if (!given.weights.empty() && given.weights.size() != given.length)
      throw dag_error(part::thread, t,
                      fmt::format("thread {} has {} instructions and {} weights", name,
                                  given.length, given.weights.size()));
    if (!given.regions.empty() && given.regions.size() != given.length)
      throw dag_error(part::thread, t,
                      fmt::format("thread {} has {} instructions and {} regions", name,
                                  given.length, given.regions.size()));
    for (const std::uint32_t r : given.regions)
      if (r >= region_names_.size())
        throw dag_error(part::thread, t,
                        fmt::format("thread {}: there is no region {}: the DAG names {}", name, r,
                                    region_names_.size()));
    if (given.frame > max_frame)
      throw dag_error(
          part::thread, t,
          fmt::format("thread {}: a frame is at most {}, not {}", name, max_frame, given.frame));
    nodes += given.length;
    if (nodes > max_nodes)
      throw dag_error(part::thread, t,
                      fmt::format("a DAG has at most {} instructions; thread {} exceeds that",
                                  max_nodes, name));
    threads_.push_back(
        {static_cast<node_id>(nodes - given.length), given.length, given.frame, given.priority});
    largest_frame_ = std::max(largest_frame_, given.frame);
    if (!given.name.empty()) {
      thread_names_.resize(source.threads.size());
      thread_names_[t] = std::move(given.name);
    }
    if (!given.names.empty()) {
      node_names_.resize(source.threads.size());
      node_names_[t] = std::move(given.names);
    }
  }
  thread_of_.resize(nodes);
  for (thread_id t = 0; t < thread_count(); ++t)
    std::fill_n(thread_of_.begin() + first(t), length(t), t);
  for (std::size_t t = 0; t < source.threads.size(); ++t) add_weights(source, t);
}

void explicit_dag::add_weights(dag_source& source, std::size_t t) {
  const auto& given = source.threads[t];
  const auto at = static_cast<std::ptrdiff_t>(threads_[t].first);
  if (!given.weights.empty()) {
    weights_.resize(thread_of_.size(), 1);
    std::copy(given.weights.begin(), given.weights.end(), weights_.begin() + at);
  }
  if (!given.regions.empty()) {
    regions_.resize(thread_of_.size(), 0);
    std::copy(given.regions.begin(), given.regions.end(), regions_.begin() + at);
  }
}

node_id explicit_dag::node_at(const dag_source::place& place, part which, std::size_t index) const {
  if (place.thread >= thread_count())
    throw dag_error(which, index,
                    fmt::format("thread number {} of {}", place.thread, thread_count()));
  if (place.instruction >= length(place.thread))
    throw dag_error(
        which, index,
        fmt::format("instruction number {} of thread {}, which has {}", place.instruction,
                    thread_name(place.thread), length(place.thread)));
  return first(place.thread) + place.instruction;
}

std::string explicit_dag::describe(node_id v) const {
  return fmt::format("{} of thread {}", node_name(v), thread_name(thread_of_[v]));
}

void explicit_dag::add_spawns(const dag_source& source) {
  spawned_.assign(node_count(), no_id);
  in_degree_.assign(node_count(), 0);
  for (thread_id t = 0; t < thread_count(); ++t)
    for (node_id v = first(t) + 1; v <= last(t); ++v) in_degree_[v] = 1;
  for (std::size_t i = 0; i < source.spawns.size(); ++i) {
    const auto& given = source.spawns[i];
    const node_id from = node_at(given.from, part::spawn, i);
    if (given.child >= thread_count())
      throw dag_error(part::spawn, i,
                      fmt::format("thread number {} of {}", given.child, thread_count()));
    auto& child = threads_[given.child];
    if (given.child == 0)
      throw dag_error(part::spawn, i,
                      fmt::format("{} spawns {}, the root: the first thread has no parent",
                                  describe(from), thread_name(0)));
    if (child.spawner != no_id)
      throw dag_error(
          part::spawn, i,
          fmt::format("thread {} has two parents: {} and {} spawn it", thread_name(given.child),
                      describe(child.spawner), describe(from)));
    if (thread_of_[from] == given.child)
      throw dag_error(part::spawn, i,
                      fmt::format("thread {} spawns itself", thread_name(given.child)));
    if (spawned_[from] != no_id)
      throw dag_error(
          part::spawn, i,
          fmt::format("{} spawns two threads, {} and {}: an instruction spawns one", describe(from),
                      thread_name(spawned_[from]), thread_name(given.child)));
    spawned_[from] = given.child;
    child.spawner = from;
    child.parent = thread_of_[from];
    in_degree_[child.first] = 1;
  }
}

// Computes depths, the frames up to the root, and the numbering that is_ancestor() uses. It is a
// loop and not a recursion, as spawn trees can be deep.
void explicit_dag::build_tree() {
  for (thread_id t = 1; t < thread_count(); ++t)
    if (threads_[t].parent == no_id)
      throw dag_error(
          part::thread, t,
          fmt::format("thread {} has no parent: no instruction spawns it", thread_name(t)));
  struct visit {
    thread_id thread;
    node_id next;  // the instruction to look at
  };
  std::vector<visit> path = {{0, first(0)}};
  std::uint32_t clock = 0;
  std::uint32_t visited = 1;
  threads_[0].enter = clock++;
  threads_[0].stack_depth = frame(0);
  while (!path.empty()) {
    auto& top = path.back();
    if (top.next > last(top.thread)) {
      auto& done = threads_[top.thread];
      done.leave = clock;
      stack_depth_ = std::max(stack_depth_, done.stack_depth);
      path.pop_back();
      continue;
    }
    const thread_id child = spawned_[top.next++];
    if (child == no_id) continue;
    auto& entered = threads_[child];
    entered.enter = clock++;
    entered.depth = threads_[top.thread].depth + 1;
    entered.stack_depth = threads_[top.thread].stack_depth + entered.frame;
    ++visited;
    path.push_back({child, entered.first});
  }
  if (visited == thread_count()) return;
  for (thread_id t = 1; t < thread_count(); ++t)
    if (threads_[t].enter == 0)
      throw dag_error(part::thread, t,
                      fmt::format("thread {} is its own ancestor: its spawns lead round to it",
                                  thread_name(t)));
}

bool explicit_dag::is_ancestor(thread_id older, thread_id younger) const {
  return threads_[older].enter <= threads_[younger].enter &&
         threads_[younger].enter < threads_[older].leave;
}

void explicit_dag::add_joins(const dag_source& source) {
  std::vector<std::pair<node_id, node_id>> edges;
  edges.reserve(source.joins.size());
  join_begin_.assign(node_count() + 1, 0);
  for (std::size_t i = 0; i < source.joins.size(); ++i) {
    const node_id from = node_at(source.joins[i].from, part::join, i);
    const node_id to = node_at(source.joins[i].to, part::join, i);
    const auto refuse = [&](std::string_view why) {
      throw dag_error(part::join, i,
                      fmt::format("join edge {} -> {}: {}", node_name(from), node_name(to), why));
    };
    if (thread_of_[from] == thread_of_[to]) refuse("both are of one thread, whose order is fixed");
    if (to == first(thread_of_[to]))
      refuse(fmt::format("{} is the first instruction of thread {}", node_name(to),
                         thread_name(thread_of_[to])));
    if (spawned_[to - 1] != no_id)
      refuse(fmt::format("{} comes right after the spawn {}", node_name(to), node_name(to - 1)));
    const std::uint32_t others = (is_last(from) ? 0U : 1U) + (spawned_[from] != no_id ? 1U : 0U);
    if (others + ++join_begin_[from + 1] > 2)
      refuse(
          fmt::format("{} has more than two edges out, with those to the next instruction and "
                      "to a child",
                      node_name(from)));
    edges.emplace_back(from, to);
    ++in_degree_[to];
  }
  for (node_id v = 0; v < node_count(); ++v) join_begin_[v + 1] += join_begin_[v];
  joins_.assign(edges.size(), no_id);
  auto place = join_begin_;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto [from, to] = edges[i];
    if (place[from] > join_begin_[from] && joins_[join_begin_[from]] == to)
      throw dag_error(
          part::join, i,
          fmt::format("join edge {} -> {} stands twice", node_name(from), node_name(to)));
    joins_[place[from]++] = to;
  }
}

void explicit_dag::check_ends() const {
  if (spawned_[last(0)] != no_id || !joins_from(last(0)).empty())
    throw dag_error(part::thread, 0,
                    fmt::format("{}, the root's last instruction, has an edge out: it is to be the "
                                "DAG's last",
                                node_name(last(0))));
  for (thread_id t = 1; t < thread_count(); ++t)
    if (joins_from(last(t)).empty() && spawned_[last(t)] == no_id)
      throw dag_error(part::thread, t,
                      fmt::format("{}, the last instruction of thread {}, has no edge out: nobody "
                                  "waits for it",
                                  node_name(last(t)), thread_name(t)));
}

void explicit_dag::measure_paths(const dag_source& source) {
  auto waits = in_degree_;
  std::vector<node_id> order;
  order.reserve(node_count());
  order.push_back(first(0));
  for (std::size_t i = 0; i < order.size(); ++i)
    each_edge(order[i], [&](const edge& e) {
      if (--waits[e.to] == 0) order.push_back(e.to);
    });
  if (order.size() < node_count()) refuse_cycle(source, waits);
  order_ = std::move(order);
  measure_heights();
}

void explicit_dag::measure_heights() {
  height_.assign(node_count(), 0);
  work_ = 0;
  for (auto v = order_.rbegin(); v != order_.rend(); ++v) {
    work_ += weight(*v);
    each_edge(*v, [&](const edge& e) { height_[*v] = std::max(height_[*v], height_[e.to]); });
    height_[*v] += weight(*v);
  }
}

void explicit_dag::scale(std::string_view region, double factor) {
  std::vector<bool> is_in(region_names_.size());
  for (std::size_t r = 0; r < is_in.size(); ++r) {
    const std::string& name = region_names_[r];
    is_in[r] = ("/" + name + "/").find("/" + std::string(region) + "/") != std::string::npos;
  }
  if (std::find(is_in.begin(), is_in.end(), true) == is_in.end())
    throw usage_error(fmt::format("the DAG has no region '{}'", region));
  weights_.resize(node_count(), 1);
  for (node_id v = 0; v < node_count(); ++v) {
    if (regions_.empty() || !is_in[regions_[v]]) continue;
    const double scaled = std::round(static_cast<double>(weights_[v]) * factor);
    if (!(scaled <= static_cast<double>(max_weight)))
      throw usage_error(
          fmt::format("{} times the weight of {} is too large", factor, node_name(v)));
    weights_[v] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(scaled));
  }
  measure_heights();
}

// Spawns make a tree, so a join closes the cycle. The last join in the source that lies on it is
// blamed.
void explicit_dag::refuse_cycle(const dag_source& source,
                                const std::vector<std::uint32_t>& waits) const {
  const auto cycle = find_cycle(*this, waits);
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < cycle_names_shown; ++i)
    text += node_name(cycle[i]) + " -> ";
  if (cycle.size() > cycle_names_shown)
    text += fmt::format("({} more) -> ", cycle.size() - cycle_names_shown);
  text += node_name(cycle.front());

  std::vector<node_id> next(node_count(), no_id);
  for (std::size_t i = 0; i < cycle.size(); ++i) next[cycle[i]] = cycle[(i + 1) % cycle.size()];
  std::size_t index = source.joins.size();
  while (index-- > 0) {
    const auto& [from, to] = source.joins[index];
    if (next[node_at(from, part::join, index)] == node_at(to, part::join, index)) break;
  }
  throw dag_error(part::join, index, "the edges have a cycle: " + text);
}

void explicit_dag::classify(const dag_source& source) {
  std::vector<std::uint32_t> with_parent(thread_count(), 0);
  const auto weaken = [&](strictness to, const std::string& why) {
    if (kind_ == strictness::fully_strict) why_not_fully_strict_ = why;
    if (to == strictness::general && kind_ != strictness::general) why_not_strict_ = why;
    kind_ = std::min(kind_, to);
  };
  for (const auto& given : source.joins) {
    const node_id from = first(given.from.thread) + given.from.instruction;
    const node_id to = first(given.to.thread) + given.to.instruction;
    const thread_id younger = given.from.thread;
    const thread_id older = given.to.thread;
    if (parent(younger) == older) {
      most_joins_ = std::max(most_joins_, ++with_parent[younger]);
      continue;
    }
    const bool up = is_ancestor(older, younger);
    weaken(up ? strictness::strict : strictness::general,
           fmt::format("join edge {} -> {} goes from thread {} to {}, which is not its {}",
                       node_name(from), node_name(to), thread_name(younger), thread_name(older),
                       up ? "parent" : "ancestor"));
  }
  for (thread_id t = 1; t < thread_count() && kind_ != strictness::general; ++t) {
    const auto joins = joins_from(last(t));
    if (std::none_of(joins.begin(), joins.end(),
                     [&](node_id to) { return thread_of_[to] == parent(t); }))
      weaken(strictness::general,
             fmt::format("{}, the last instruction of thread {}, has no join edge to its parent {}",
                         node_name(last(t)), thread_name(t), thread_name(parent(t))));
  }
}

std::string explicit_dag::thread_name(thread_id t) const {
  if (t < thread_names_.size() && !thread_names_[t].empty()) return thread_names_[t];
  return fmt::format("G{}", t + 1);
}

std::string explicit_dag::node_name(node_id v) const {
  const thread_id t = thread_of_[v];
  if (has_names(t)) return node_names_[t][v - first(t)];
  return fmt::format("{}.{}", thread_name(t), v - first(t) + 1);
}

std::vector<node_id> explicit_dag::critical_path() const {
  std::vector<node_id> path = {first(0)};
  while (height_[path.back()] > weight(path.back())) {
    const node_id at = path.back();
    node_id next = no_id;
    each_edge(at, [&](const edge& e) {
      if (next == no_id && height_[e.to] + weight(at) == height_[at]) next = e.to;
    });
    path.push_back(next);
  }
  return path;
}

}  // namespace heist::lab
