// How many steals a program needs if each may take up to k tasks, k tasks or else one, or half of
// the victim's: a walk of a graph of tasks with hundreds of children each.
#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include <heist/deque_series.hpp>

#include "bench/documents/counted_walk.hpp"

namespace heist::bench {

namespace {

using report::series_style;
using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("breadth", "children of a task", 300, 1, 10'000),
          integer_option("depth", "levels of tasks", quick ? 2 : 3, 2, 10),
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

// Predicts from the sizes of deques that were observed with single steals how many steals other
// rules need. A thief that comes at any time to a deque that isn't empty gets E[taken] tasks, and
// thieves need as many tasks as with single steals. It doesn't know that what is stolen may be
// stolen again, nor that deques are shorter where more is stolen.
class size_model {
 public:
  explicit size_model(const deque_series& seen) {
    for (const auto& deque : seen.sizes)
      for (const std::uint32_t size : deque) {
        if (size == 0) continue;
        if (size >= times_.size()) times_.resize(size + std::size_t{1}, 0);
        ++times_[size];
        ++all_;
      }
  }

  // E[taken]; 1 if nothing was seen.
  [[nodiscard]] double tasks_of_a_steal(unsigned k, steal_rule rule) const {
    if (all_ == 0) return 1;
    double sum = 0;
    for (std::size_t size = 1; size < times_.size(); ++size) {
      const std::size_t taken = size >= k ? k : rule == steal_rule::up_to_k ? size : 1;
      sum += static_cast<double>(times_[size]) * static_cast<double>(taken);
    }
    return sum / static_cast<double>(all_);
  }

 private:
  std::vector<std::uint64_t> times_;  // by size, how often it was seen
  std::uint64_t all_ = 0;
};

// All rules with one number of workers.
class walks_with {
 public:
  walks_with(contest& turns, unsigned workers, unsigned most_k, counted_walk& walk)
      : workers_(workers), most_k_(most_k), group_(fmt::format("P = {}", workers)) {
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

  void append_rows(std::vector<row>& rows, counted_walk& walk) const {
    const size_model model = observe(walk);
    const auto one = [](double value) { return samples(std::vector<double>{value}); };
    const double single = all_.front().steals.median();
    const auto predicted = [&](const contender& of) {
      return single / model.tasks_of_a_steal(of.k, of.rule);
    };
    for (const auto& each : all_) {
      auto& added = rows.emplace_back(row{each.name,
                                          {{"steals", "", each.steals},
                                           {"tasks stolen", "", each.tasks},
                                           {"tasks of a steal", "", each.tasks_of_a_steal},
                                           {"time", "ms", scaled(each.turn->results, 1e3)}},
                                          {},
                                          group_});
      if (each.k != 0) added.measures.push_back({"steals by the model", "", one(predicted(each))});
    }
    for (const steal_rule rule : all_steal_rules) {
      const contender* fewest = nullptr;
      const contender* by_model = nullptr;
      for (const auto& each : all_) {
        if (each.k == 0 || each.rule != rule) continue;
        if (fewest == nullptr || each.steals.median() < fewest->steals.median()) fewest = &each;
        if (by_model == nullptr || predicted(each) < predicted(*by_model)) by_model = &each;
      }
      rows.push_back({fmt::format("fewest steals, {}", to_string(rule)),
                      {{"k", "", one(fewest->k)}, {"k by the model", "", one(by_model->k)}},
                      {},
                      group_});
    }
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
  // The deques' sizes over time with single steals.
  [[nodiscard]] size_model observe(counted_walk& walk) const {
    auto config = presets::multi_steal(1);
    config.workers = workers_;
    whole_pool on(config);
    deque_observer observer(on);
    static_cast<void>(walk.run(group_, on, {.with = workloads::construct::tasks}));
    return size_model(observer.stop());
  }

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

  const unsigned workers_, most_k_;
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
    each.append_rows(result.rows, walk);
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
      "by the model: the sizes of the deques, observed in a run with k = 1, say how many tasks a "
      "thief "
      "would find, and so how many steals it would need for the tasks that thieves got in that run",
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
