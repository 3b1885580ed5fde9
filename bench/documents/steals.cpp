// How the number of steals grows with the number of subtasks: walks of graphs of tasks of different
// sizes, under task objects that are stolen and under heist's own deques. Rounds are added until
// the lines through the medians no longer move.
#include <algorithm>
#include <cmath>
#include <deque>

#include <fmt/format.h>

#include "bench/documents/counted_walk.hpp"
#include "report/statistics.hpp"

namespace heist::bench {

namespace {

using report::series_style;
using workloads::integer_option;

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("breadth", "children of a task, in the largest graph", quick ? 20 : 300, 4,
                         10'000),
          integer_option("points", "graphs", quick ? 4 : 8, 3, 100),
          integer_option("work", "hashes that a task computes", quick ? 10 : 500, 0, 1'000'000)};
}

// Of so many rounds as were asked for.
constexpr std::size_t most_batches = 10;

struct fitted_line {
  double constant, slope;
  double r_squared;  // of the deviations from the mean

  [[nodiscard]] bool is_close_to(const fitted_line& other) const {
    return std::abs(slope - other.slope) <= 0.02 * std::abs(slope) &&
           std::abs(r_squared - other.r_squared) <= 0.01;
  }
};

fitted_line fit(const std::vector<double>& x, const std::vector<double>& y) {
  const auto fitted = report::least_squares({std::vector<double>(x.size(), 1), x}, y);
  double mean = 0;
  for (const double each : y) mean += each / static_cast<double>(y.size());
  double all = 0, left = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    all += (y[i] - mean) * (y[i] - mean);
    left += fitted.residuals[i] * fitted.residuals[i];
  }
  return {fitted.coefficients[0], fitted.coefficients[1], all == 0 ? 1 : 1 - left / all};
}

// The walks under one scheduler.
class walks_under {
 public:
  walks_under(contest& turns, const presets::preset& preset, unsigned workers,
              std::deque<counted_walk>& walks)
      : name_(preset.name) {
    auto config = preset.config;
    config.workers = workers;
    const auto on = std::make_shared<whole_pool>(config);
    for (auto& walk : walks) {
      auto& added = points_.emplace_back(point{walk.subtasks()});
      added.turn =
          &turns.add(fmt::format("{}, {} subtasks", name_, walk.subtasks()),
                     [&walk, &added, on, how = workloads::execution_of(preset), name = name_] {
                       const auto counted = walk.run(name, *on, how);
                       added.steals.add(static_cast<double>(counted.steals));
                       return counted.seconds;
                     });
    }
  }

  // The line through the medians of all rounds so far.
  [[nodiscard]] fitted_line line() const {
    std::vector<double> x, y;
    for (const auto& each : points_) {
      x.push_back(each.subtasks);
      y.push_back(each.steals.median());
    }
    return fit(x, y);
  }

  void append_to(results& all, report::chart& shown) const {
    report::series measured{std::string(name_), series_style::points};
    for (const auto& each : points_) {
      const report::distribution steals(each.steals);
      measured.points.push_back({each.subtasks, steals.median, steals.least, steals.greatest});
      all.rows.push_back({fmt::format("{} subtasks", each.subtasks),
                          {{"steals", "", each.steals},
                           {"subtasks for a steal", "", subtasks_for_a_steal(each)},
                           {"time", "ms", scaled(each.turn->results, 1e3)}},
                          {},
                          name_});
    }
    const fitted_line found = line();
    const auto one = [](double value) { return samples(std::vector<double>{value}); };
    all.rows.push_back({"line through the medians",
                        {{"steals for 1000 subtasks", "", one(1000 * found.slope)},
                         {"steals at 0 subtasks", "", one(found.constant)},
                         {"R^2", "", one(found.r_squared)}},
                        {},
                        name_});
    const auto at = [&](double subtasks) {
      return report::point{subtasks, found.constant + found.slope * subtasks};
    };
    shown.all.push_back(std::move(measured));
    shown.all.push_back({fmt::format("{}: R^2 = {:.3f}", name_, found.r_squared),
                         series_style::bound,
                         {at(points_.front().subtasks), at(points_.back().subtasks)}});
  }

 private:
  struct point {
    double subtasks;
    samples steals = {};
    contestant* turn = nullptr;
  };

  static samples subtasks_for_a_steal(const point& of) {
    samples each;
    for (const double steals : of.steals.values())
      if (steals > 0) each.add(of.subtasks / steals);
    return each;
  }

  std::string name_;
  std::deque<point> points_;  // whose addresses the turns keep
};

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  const double most = static_cast<double>(values.integer("breadth"));
  const auto points = values.size("points");
  // The subtasks are the breadth's square and the breadth: evenly spaced.
  std::deque<counted_walk> walks;
  for (std::size_t i = 1; i <= points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points);
    walks.emplace_back(static_cast<std::size_t>(std::lround(most * std::sqrt(share))), 3,
                       values.size("work"));
  }
  contest turns;
  std::deque<walks_under> all;
  for (const auto* preset : {"multi_steal", "heist"})
    all.emplace_back(turns, *presets::find(preset), workers, walks);
  std::vector<fitted_line> before;
  std::size_t batches = 0;
  for (bool is_stable = false; !is_stable && batches < most_batches; ++batches) {
    turns.play(with);
    std::vector<fitted_line> now;
    for (const auto& each : all) now.push_back(each.line());
    is_stable = std::equal(now.begin(), now.end(), before.begin(), before.end(),
                           [](const auto& a, const auto& b) { return a.is_close_to(b); });
    before = std::move(now);
  }

  results result;
  result.title =
      fmt::format("steals in walks of {} graphs of tasks, breadth up to {}; P = {}; {} rounds",
                  points, most, workers, batches * with.repeat);
  report::chart shown{"Steals against subtasks",
                      {.label = "subtasks", .least = 0},
                      {.label = "steals", .least = 0},
                      {}};
  for (const auto& each : all) each.append_to(result, shown);
  result.charts = {std::move(shown)};
  result.source = "A work-stealing scheduler with multi-task steals, figure 5";
  result.notes = {
      "The document's figure gives no machine, program or number of workers, so only the shape can "
      "be compared: it calls the growth linear",
      "A worker steals when it has run out of tasks of its own, so the count depends on when the "
      "system runs which thread; the rounds differ as the intervals show",
      fmt::format(
          "After every {} rounds the lines are drawn again, until a slope moves by at most 2 % "
          "and R^2 by 0.01, {} times at most",
          with.repeat, most_batches),
  };
  return result;
}

}  // namespace

benchmark steals_benchmark() {
  return {"steals", "how the number of steals grows with the number of subtasks", &options, &run};
}

}  // namespace heist::bench
