// How many steals a program needs if each may take k tasks, or half of the victim's: a walk of a
// graph of tasks with hundreds of children each.
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
  samples steals = {}, tasks = {}, tasks_of_a_steal = {};
  contestant* turn = nullptr;
};

// All rules with one number of workers.
class walks_with {
 public:
  walks_with(contest& turns, unsigned workers, counted_walk& walk)
      : group_(fmt::format("P = {}", workers)) {
    for (unsigned k = 1; k <= pool_config::max_steal_batch; k *= 2)
      add(turns, fmt::format("k = {}", k), k, presets::multi_steal(k), workers, walk);
    auto half = presets::multi_steal();
    half.deque = deque_kind::steal_half;
    add(turns, "half", 0, half, workers, walk);
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

  // A measure of each rule: a line over k, and one across for half.
  template <class Measure>
  void draw(report::chart& on, const Measure& measure) const {
    report::series by_k{group_};
    for (const auto& each : all_) {
      const report::distribution found(measure(each));
      if (each.k != 0) {
        by_k.points.push_back(
            {static_cast<double>(each.k), found.median, found.least, found.greatest});
        continue;
      }
      on.all.push_back(std::move(by_k));
      on.all.push_back({group_ + ", half",
                        series_style::bound,
                        {{1, found.median}, {pool_config::max_steal_batch, found.median}}});
    }
  }

 private:
  void add(contest& turns, const std::string& name, unsigned k, pool_config config,
           unsigned workers, counted_walk& walk) {
    config.workers = workers;
    auto& added = all_.emplace_back(contender{name, k});
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

  const std::string group_;
  std::deque<contender> all_;  // whose addresses the turns keep
};

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  const auto many = static_cast<unsigned>(values.integer("many"));
  counted_walk walk(values.size("breadth"), values.size("depth"), values.size("work"));
  contest turns;
  std::deque<walks_with> groups;
  groups.emplace_back(turns, workers, walk);
  if (many != workers) groups.emplace_back(turns, many, walk);
  turns.play(with);

  results result;
  result.title =
      fmt::format("{} subtasks, breadth {}, depth {}: steals of up to k tasks; {} rounds",
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
      "heist's steal takes as many as there are, up to k; the document's takes one where the "
      "victim has fewer than k, so that a large k makes it steal one by one",
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
