// Stalling and greedy joins: what a join costs that must wait, and how long its function waits
// although everything that it waited for has ended. A tree of scopes whose children are of unequal
// sizes.
#include <array>
#include <atomic>
#include <deque>

#include <fmt/format.h>

#include <heist/scope.hpp>

#include "bench/rounds.hpp"
#include "workloads/graph_walk/graph_walk.hpp"

namespace heist::bench {

namespace {

using report::series_style;
using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("trees", "walked one after another", quick ? 2 : 20, 1, 1'000'000),
          integer_option("levels", "of a tree", 7, 1, 40),
          integer_option("work", "hashes of a leaf; one leaf of eight has 32 times as many",
                         quick ? 10 : 3000, 0, 1'000'000),
          integer_option("many", "workers of the second pool", 8, 2, 256)};
}

struct tree_shape {
  std::uint64_t trees;
  int levels;
  std::uint64_t work;
};

constexpr std::size_t children = 3;  // with 1, 2 and 3 levels less than their parent

std::uint64_t leaf(std::uint64_t number, const tree_shape& shape) {
  const std::uint64_t times = workloads::mixed(number) % 8 == 0 ? 32 : 1;
  return workloads::work_of_task(number, shape.work * times);
}

std::uint64_t walk_serially(std::uint64_t number, int levels, const tree_shape& shape) {
  if (levels <= 0) return leaf(number, shape);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < children; ++i)
    sum += walk_serially(number * children + i + 1, levels - 1 - static_cast<int>(i), shape);
  return sum;
}

// What the joins of a run saw. Relaxed throughout: the counts are read after the run.
class observed_joins {
 public:
  void add(bool is_elsewhere, std::int64_t waited_ns) {
    joins_.fetch_add(1, std::memory_order_relaxed);
    elsewhere_.fetch_add(is_elsewhere ? 1 : 0, std::memory_order_relaxed);
    waited_ns_.fetch_add(waited_ns, std::memory_order_relaxed);
    raise(longest_ns_, waited_ns);
  }

  // Makes it at least this large.
  static void raise(std::atomic<std::int64_t>& most, std::int64_t to) {
    std::int64_t seen = most.load(std::memory_order_relaxed);
    while (seen < to && !most.compare_exchange_weak(seen, to, std::memory_order_relaxed,
                                                    std::memory_order_relaxed)) {
    }
  }

  [[nodiscard]] double elsewhere_percent() const {
    return 100 * static_cast<double>(elsewhere_.load(std::memory_order_relaxed)) /
           static_cast<double>(joins_.load(std::memory_order_relaxed));
  }
  [[nodiscard]] double waited_ms() const {
    return 1e-6 * static_cast<double>(waited_ns_.load(std::memory_order_relaxed));
  }
  [[nodiscard]] double longest_ms() const {
    return 1e-6 * static_cast<double>(longest_ns_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<std::uint64_t> joins_{0}, elsewhere_{0};
  std::atomic<std::int64_t> waited_ns_{0}, longest_ns_{0};
};

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch())
      .count();
}

std::uint64_t walk(std::uint64_t number, int levels, const tree_shape& shape,
                   observed_joins& seen) {
  if (levels <= 0) return leaf(number, shape);
  std::array<std::uint64_t, children> sums{};
  std::atomic<std::int64_t> ended_ns{0};  // the last child, or the scope's own function
  int worker = -1;                        // that reaches the join
  scope([&](task_scope& s) {
    for (std::size_t i = 0; i < children; ++i)
      s.spawn([&, i] {
        sums[i] = walk(number * children + i + 1, levels - 1 - static_cast<int>(i), shape, seen);
        observed_joins::raise(ended_ns, now_ns());
      });
    worker = this_worker::index();
    observed_joins::raise(ended_ns, now_ns());
  });
  seen.add(this_worker::index() != worker, now_ns() - ended_ns.load(std::memory_order_relaxed));
  std::uint64_t sum = 0;
  for (const auto each : sums) sum += each;
  return sum;
}

// The trees differ in their leaves. walk_one(number of the root) answers the sum of a tree.
template <class Walk>
std::uint64_t sum_of_trees(const tree_shape& shape, const Walk& walk_one) {
  std::uint64_t sum = 0;
  for (std::uint64_t tree = 0; tree < shape.trees; ++tree) sum += walk_one(tree << 40);
  return sum;
}

std::uint64_t serial_sum(const tree_shape& shape) {
  return sum_of_trees(shape,
                      [&](std::uint64_t root) { return walk_serially(root, shape.levels, shape); });
}

// One kind of join, with one of spawn.
struct contender {
  join_kind join;
  spawn_kind spawn;
  samples suspends = {}, elsewhere = {}, waited = {}, longest = {};
  contestant* turn = nullptr;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} joins, {} stealing", to_string(join), to_string(spawn));
  }
};

class joins_with {
 public:
  joins_with(contest& turns, unsigned workers, const tree_shape& shape, std::uint64_t expected)
      : group_(fmt::format("P = {}", workers)) {
    add(turns, {join_kind::greedy, spawn_kind::continuation}, workers, shape, expected);
    add(turns, {join_kind::greedy, spawn_kind::child}, workers, shape, expected);
    add(turns, {join_kind::stalling, spawn_kind::child}, workers, shape, expected);
  }

  void append_rows(std::vector<row>& rows) const {
    for (const auto& each : all_)
      rows.push_back({each.name(),
                      {{"time", "ms", scaled(each.turn->results, 1e3)},
                       {"suspended joins", "", each.suspends},
                       {"went on elsewhere", "%", each.elsewhere},
                       {"waited for nothing, in all", "ms", each.waited},
                       {"waited for nothing, longest", "ms", each.longest}},
                      {},
                      group_});
  }

  template <class Measure>
  [[nodiscard]] report::series series_of(const Measure& measure) const {
    report::series shown{group_, series_style::points};
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const report::distribution found(measure(all_[i]));
      shown.points.push_back({static_cast<double>(i), found.median, found.least, found.greatest});
    }
    return shown;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& each : all_) names.push_back(each.name());
    return names;
  }

 private:
  void add(contest& turns, const contender& what, unsigned workers, const tree_shape& shape,
           std::uint64_t expected) {
    auto& added = all_.emplace_back(what);
    const auto name = group_ + ", " + added.name();
    const auto on = std::make_shared<whole_pool>(
        pool_config{.workers = workers, .join = what.join, .spawn = what.spawn});
    added.turn = &turns.add(name, [=, &added] {
      observed_joins seen;
      const auto before = on->stats().total.suspends;
      const double seconds = time_checked(name, expected, [&] {
        return on->run([&] {
          return sum_of_trees(
              shape, [&](std::uint64_t root) { return walk(root, shape.levels, shape, seen); });
        });
      });
      added.suspends.add(static_cast<double>(on->stats().total.suspends - before));
      added.elsewhere.add(seen.elsewhere_percent());
      added.waited.add(seen.waited_ms());
      added.longest.add(seen.longest_ms());
      return seconds;
    });
  }

  const std::string group_;
  std::deque<contender> all_;  // whose addresses the turns keep
};

results run(const workloads::option_values& values, const settings& with) {
  const tree_shape shape{values.size("trees"), static_cast<int>(values.integer("levels")),
                         values.size("work")};
  const unsigned workers = workers_of(with);
  const auto many = static_cast<unsigned>(values.integer("many"));
  const auto expected = serial_sum(shape);
  contest turns;
  auto& serial = turns.add("serial", [=] {
    return time_checked("serial", expected, [&] { return serial_sum(shape); });
  });
  std::deque<joins_with> groups;
  groups.emplace_back(turns, workers, shape, expected);
  if (many != workers) groups.emplace_back(turns, many, shape, expected);
  turns.play(with);

  results result;
  result.title = fmt::format("joins in {} trees of {} levels with unequal children; {} rounds",
                             shape.trees, shape.levels, with.repeat);
  result.rows.push_back({"serial", {{"time", "ms", scaled(serial.results, 1e3)}}, {}});
  const report::axis kinds{.names = groups.front().names()};
  report::chart waited{"How long the joins waited although all had ended",
                       kinds,
                       {"ms, in all", report::axis_scale::log10},
                       {}};
  report::chart times{"Time", kinds, {.label = "ms", .least = 0}, {}};
  for (const auto& each : groups) {
    each.append_rows(result.rows);
    waited.all.push_back(each.series_of([](const contender& c) { return c.waited; }));
    times.all.push_back(
        each.series_of([](const contender& c) { return scaled(c.turn->results, 1e3); }));
  }
  result.charts = {std::move(waited), std::move(times)};
  result.source = "CS149, lecture 5: stalling and greedy joins";
  result.notes = {
      "Waited for nothing: from the end of the last child, or of the scope's own function, until "
      "the function behind the scope goes on; time for which the system ran another thread is in "
      "it, so it is long where more workers run than processors",
      "Went on elsewhere: the worker behind the join is not the one that reached it",
      "heist's stalling join keeps its function for its thread, which runs other work meanwhile: "
      "no worker stands still, but the function waits for that work to end",
      "Stalling joins and continuation stealing exclude each other: a stolen continuation goes on "
      "on another thread",
  };
  return result;
}

}  // namespace

benchmark joins_benchmark() {
  return {"joins", "stalling and greedy joins, with child and continuation stealing", &options,
          &run};
}

}  // namespace heist::bench
