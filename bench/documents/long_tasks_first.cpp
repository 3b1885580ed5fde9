// Tasks of which a few are long and late in the order: one queue in that order and in others, by
// hints or by the costs of the round before, and work stealing.
//
// Source: CS149, lecture 5, its section on smarter scheduling of tasks.
#include <deque>
#include <numeric>

#include <fmt/format.h>

#include <heist/policy.hpp>
#include <heist/presets.hpp>
#include <heist/scope.hpp>
#include <heist/sync/latch.hpp>

#include "bench/documents/body_clock.hpp"
#include "bench/rounds.hpp"
#include "workloads/mandelbrot/mandelbrot.hpp"

namespace heist::bench {

namespace {

using workloads::integer_option;

// The costs of the last tasks, in units; the others cost one.
constexpr unsigned late_units[] = {5, 10, 40};

std::vector<workloads::option_spec> options(scale of) {
  const bool quick = of == scale::quick;
  return {integer_option("tasks", "of which the last three are long", quick ? 12 : 100,
                         std::size(late_units), 1 << 20),
          integer_option("unit", "steps of a short task", quick ? 1000 : 150'000, 1, 100'000'000)};
}

// Tasks that count steps: task i costs units[i] times as many as a short one.
class task_list {
 public:
  task_list(std::size_t n, std::uint32_t steps) : steps_(steps), units_(n, 1), found_(n) {
    std::copy(std::begin(late_units), std::end(late_units), units_.end() - std::size(late_units));
  }

  [[nodiscard]] const std::vector<unsigned>& units() const { return units_; }
  void reset() { std::fill(found_.begin(), found_.end(), 0U); }
  // A point of the Mandelbrot set takes all the steps.
  void run(std::size_t i) {
    const double re = -0.1 * static_cast<double>(i) / static_cast<double>(units_.size());
    found_[i] += workloads::escape_time(re, 0, units_[i] * steps_);
  }
  // Throws wrong_result unless each task ran once.
  void check(const std::string& name) const {
    for (std::size_t i = 0; i < found_.size(); ++i)
      check_result(fmt::format("{}, task {}", name, i), std::uint64_t{units_[i]} * steps_,
                   found_[i]);
  }

 private:
  std::uint32_t steps_;
  std::vector<unsigned> units_;
  std::vector<std::uint64_t> found_;
};

// What tells which task is long, if anything does.
enum class knowledge { none, hints, history };
enum class use { priority, order };  // of the queue; of the spawns

// A contestant: a pool, and the order in which it gets the tasks.
class scheduled {
 public:
  scheduled(std::string name, task_list& tasks, const pool_config& config, knowledge of,
            use as = use::priority)
      : name_(std::move(name)),
        tasks_(tasks),
        pool_(config),
        clock_(pool_.workers()),
        as_(as),
        keeps_history_(of == knowledge::history),
        costs_us_(tasks.units().size()) {
    if (of == knowledge::hints) costs_us_.assign(tasks.units().begin(), tasks.units().end());
    if (keeps_history_) time_s();  // the round before the first
  }

  double turn() {
    const double seconds = time_s();
    tail_.add(clock_.tail_s() * 1e3);
    // What no schedule of the tasks beats, as long as they were in this run.
    to_bound_.add(seconds / std::max(longest_s_, clock_.mean_s()));
    return seconds;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const samples& tail_ms() const { return tail_; }
  [[nodiscard]] const samples& to_bound() const { return to_bound_; }

 private:
  double time_s() {
    tasks_.reset();
    const auto spawns = order();
    auto took = costs_us_;
    clock_.start();
    const double seconds = seconds_of([&] { pool_.run([&] { spawn_all(spawns, took); }); });
    tasks_.check(name_);
    longest_s_ = 1e-6 * *std::max_element(took.begin(), took.end());
    if (keeps_history_) costs_us_ = took;
    return seconds;
  }

  void spawn_all(const std::vector<std::size_t>& spawns, std::vector<int>& took_us) {
    heist::scope([&](task_scope& s) {
      heist::latch ended(static_cast<std::ptrdiff_t>(spawns.size()));
      for (const std::size_t i : spawns)
        heist::with_priority(costs_us_[i], [&] {
          s.spawn([&, i] {
            const auto time = clock_.around([&] { tasks_.run(i); });
            took_us[i] = static_cast<int>(
                std::chrono::duration_cast<std::chrono::microseconds>(time).count());
            ended.count_down();
          });
        });
      // The end of the scope would take the newest tasks back, out of the queue's order.
      ended.wait();
    });
  }

  // The order of the spawns.
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::size_t> all(tasks_.units().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (as_ == use::order)
      std::sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(-costs_us_[a], a) < std::pair(-costs_us_[b], b);
      });
    return all;
  }

  std::string name_;
  task_list& tasks_;
  whole_pool pool_;
  body_clock clock_;
  use as_;
  bool keeps_history_;
  std::vector<int> costs_us_;  // known before the round: 0 if nothing is, or in units
  double longest_s_ = 0;
  samples tail_, to_bound_;
};

pool_config queue_of(unsigned workers, queue_order order) {
  auto config = presets::shared_queue(order);
  config.workers = workers;
  return config;
}

report::chart bars_of(const std::vector<row>& rows, std::size_t measure, std::string title,
                      std::string label) {
  report::chart result{std::move(title), {}, {.label = std::move(label), .least = 0}, {}};
  report::series bars{"", report::series_style::bars};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& values = rows[i].measures[measure].values;
    result.x.names.push_back(rows[i].name);
    bars.points.push_back({static_cast<double>(i), values.median, values.least, values.greatest});
  }
  result.all = {bars};
  return result;
}

results run(const workloads::option_values& values, const settings& with) {
  const unsigned workers = workers_of(with);
  task_list tasks(values.size("tasks"), static_cast<std::uint32_t>(values.integer("unit")));
  std::deque<scheduled> all;
  const auto queue = [&](const char* name, queue_order order, knowledge of) {
    all.emplace_back(name, tasks, queue_of(workers, order), of);
  };
  queue("queue, FIFO", queue_order::fifo, knowledge::none);
  queue("queue, LIFO", queue_order::lifo, knowledge::none);
  queue("queue, hints", queue_order::priority, knowledge::hints);
  queue("queue, history", queue_order::priority, knowledge::history);
  const pool_config stealing{.workers = workers};
  all.emplace_back("stealing", tasks, stealing, knowledge::none);
  all.emplace_back("stealing, hints", tasks, stealing, knowledge::hints, use::order);
  all.emplace_back("stealing, history", tasks, stealing, knowledge::history, use::order);
  contest turns;
  std::deque<const contestant*> times;
  for (auto& each : all) times.push_back(&turns.add(each.name(), [&each] { return each.turn(); }));
  turns.play(with);

  results result;
  result.title = fmt::format(
      "{} tasks, of which the last three cost {} times as much as the others; {} worker{}; {} "
      "rounds",
      values.size("tasks"), fmt::join(late_units, ", "), workers, workers == 1 ? "" : "s",
      with.repeat);
  for (std::size_t i = 0; i < all.size(); ++i)
    result.rows.push_back({all[i].name(),
                           {{"time", "ms", scaled(times[i]->results, 1e3)},
                            {"to bound", "", all[i].to_bound()},
                            {"tail", "ms", all[i].tail_ms()}},
                           {}});
  result.charts = {
      bars_of(result.rows, 1, "time, as a multiple of the lower bound", "times the bound"),
      bars_of(result.rows, 2, "tail: a worker without work, until the end", "ms")};
  result.source =
      "CS149, lecture 5 (Stanford): section 1.3 A, smarter task scheduling; it has no "
      "figures";
  result.notes = {
      "The bound is the longest task or the sum of all by the number of workers, whichever is "
      "greater, of the times measured in the same run. The tail is the time from the end of the "
      "first worker's last task to the end of all",
      "Hints are the exact costs; history is what each task took in the round before. The queue "
      "takes them as priorities; for stealing the tasks are spawned in their order",
      "LIFO begins with the last tasks spawned, which happen to be the long ones"};
  return result;
}

}  // namespace

benchmark long_tasks_first_benchmark() {
  return {"long_tasks_first", "a few long tasks at the end of a queue, and at its beginning",
          &options, &run};
}

}  // namespace heist::bench
