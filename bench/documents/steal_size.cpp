// How many steals a program needs if each may take up to k tasks, k tasks or else one, or half of
// the victim's: a walk of a graph of tasks with hundreds of children each.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "bench/documents/counted_walk.hpp"

namespace heist::bench {

namespace {

using report::series_style;
using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("breadth", "children of a task", quick ? 20 : 300, 1, 10'000),
          integer_option("depth", "levels of tasks", 3, 2, 10),
          integer_option("work", "hashes that a task computes", quick ? 10 : 500, 0, 1'000'000),
          integer_option("many", "workers of the second pool", 8, 1, 256)};
}

// One rule of stealing.
struct contender {
  std::string name;
  unsigned k;  // 0: half
  steal_rule rule;
  samples steals = {}, tasks = {}, tasks_of_a_steal = {};
  contestant* turn = nullptr;
};

// All rules with one number of workers.
class walks_with {
 public:
  walks_with(contest& turns, unsigned workers, unsigned most_k, counted_walk& walk)
      : most_k_(most_k), group_(fmt::format("P = {}", workers)) {
    for (const steal_rule rule : all_steal_rules) {
      for (unsigned k = 1; k < 2 * most_k; k *= 2) {
        auto config = presets::multi_steal(std::min(k, most_k));
        config.rule = rule;
        add(turns, config, workers, walk);
      }
    }
    auto half = presets::multi_steal();
    half.deque = deque_kind::steal_half;
    add(turns, half, workers, walk);
  }

  [[nodiscard]] const std::string& group() const { return group_; }

  void append_rows(std::vector<row>& rows) const {
    for (const auto& each : all_)
      rows.push_back({each.name,
                      {{"steals", "", each.steals},
                       {"tasks stolen", "", each.tasks},
                       {"tasks of a steal", "", each.tasks_of_a_steal},
                       {"time", "ms", scaled(each.turn->results, 1e3)}},
                      {},
                      group_});
  }

  // A measure of each rule: a line over k for two of them, and one across for half.
  template <class Measure>
  void draw(report::chart& on, const Measure& measure) const {
    report::series up_to_k{group_ + ", up to k"}, or_one{group_ + ", k or one"};
    for (const auto& each : all_) {
      const report::distribution found(measure(each));
      if (each.k != 0) {
        auto& to = each.rule == steal_rule::up_to_k ? up_to_k : or_one;
        to.points.push_back(
            {static_cast<double>(each.k), found.median, found.least, found.greatest});
        continue;
      }
      on.all.push_back(std::move(up_to_k));
      on.all.push_back(std::move(or_one));
      on.all.push_back({group_ + ", half",
                        series_style::bound,
                        {{1, found.median}, {static_cast<double>(most_k_), found.median}}});
    }
  }

 private:
  static std::string name_of(const pool_config& config) {
    if (config.deque == deque_kind::steal_half) return "half";
    return fmt::format("k = {}{}", config.steal_batch,
                       config.rule == steal_rule::k_or_one ? " or one" : "");
  }

  void add(contest& turns, pool_config config, unsigned workers, counted_walk& walk) {
    config.workers = workers;
    const std::string name = name_of(config);
    const bool is_half = config.deque == deque_kind::steal_half;
    auto& added = all_.emplace_back(contender{name, is_half ? 0 : config.steal_batch, config.rule});
    added.turn = &turns.add(
        fmt::format("{}, {}", group_, name), [&added, &walk, config, name = group_ + ", " + name] {
          whole_pool on(config);
          const auto counted = walk.run(name, on, {.with = workloads::construct::tasks});
          added.steals.add(static_cast<double>(counted.steals));
          added.tasks.add(static_cast<double>(counted.tasks));
          if (counted.steals > 0)
            added.tasks_of_a_steal.add(static_cast<double>(counted.tasks) /
                                       static_cast<double>(counted.steals));
          return counted.seconds;
        });
  }

  const unsigned most_k_;
  const std::string group_;
  std::deque<contender> all_;  // whose addresses the turns keep
};

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  const auto many = static_cast<unsigned>(values.integer("many"));
  // A task has no more children to steal.
  const auto most_k = static_cast<unsigned>(
      std::min<std::size_t>(values.size("breadth"), pool_config::max_steal_batch));
  counted_walk walk(values.size("breadth"), values.size("depth"), values.size("work"));
  contest turns;
  std::deque<walks_with> groups;
  groups.emplace_back(turns, workers, most_k, walk);
  if (many != workers) groups.emplace_back(turns, many, most_k, walk);
  turns.play(with);

  results result;
  result.title =
      fmt::format("{} subtasks, breadth {}, depth {}: steals of k tasks; {} rounds",
                  walk.subtasks(), values.size("breadth"), values.size("depth"), with.repeat);
  const report::axis k{"k, tasks that a steal may take", report::axis_scale::log2};
  report::chart times{"Time against the size of a steal", k, {.label = "ms", .least = 0}, {}};
  for (const auto& each : groups) {
    each.append_rows(result.rows);
    auto& steals = result.charts.emplace_back(
        report::chart{"Steals against the size of a steal, " + each.group(),
                      k,
                      {.label = "steals", .least = 0},
                      {}});
    each.draw(steals, [](const contender& c) { return c.steals; });
    each.draw(times, [](const contender& c) { return scaled(c.turn->results, 1e3); });
  }
  result.charts.push_back(std::move(times));
  result.source = "A work-stealing scheduler with multi-task steals, figure 6";
  result.notes = {
      "The document finds a sharp fall of the number of steals, then a rise, and no influence on "
      "the time; its figure's numbers are not in its text",
      "A task counts among the stolen ones each time that it is stolen",
      "up to k: a steal takes as many as there are; k or one: where there are fewer than k it "
      "takes "
      "one, which is the document's rule (--steal-rule of heist run)",
      "why the number rises again: up to k, a thief takes most of what a victim has, and is soon "
      "asked for it itself, so tasks are stolen many times each (tasks stolen); k or one, a large "
      "k "
      "is seldom there, so tasks are stolen one by one (tasks of a steal)",
      "heist sim --dag tree:300,2,50 --scheduler child-stealing --steal K simulates it on more "
      "processors",
  };
  return result;
}

}  // namespace

benchmark steal_size_benchmark() {
  return {"steal_size", "steals and time if a steal may take k tasks, or half", &options, &run};
}

}  // namespace heist::bench
