// Compares real runs with simulated ones, and forecasts the runs of machines that don't exist here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <heist/pool.hpp>

#include "bench/rounds.hpp"
#include "calibration/programs.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/engines/cost_model.hpp"
#include "lab/experiments/timed_study.hpp"
#include "report/samples.hpp"
#include "report/statistics.hpp"

namespace heist::calibration {

inline constexpr double agreement = 0.15;  // how far a simulated time may be off the real one

// The costs that were measured, as far as one figure of each goes.
struct cost_range {
  lab::cost_model usual, low, high;  // the medians, the lower quartiles, the upper ones
};

// Simulated seconds: from the least of all seeds, or with the lower quartiles of all costs and of
// the program's own speed, to the greatest, or with the upper quartiles.
struct time_range {
  double least = 0, greatest = 0;
};

// A program on some workers of this machine, and the same in the lab.
struct checked_row {
  std::string program, dag;
  std::uint32_t processors = 0;
  std::uint64_t forks = 0;
  double fork_ns = 0;
  double instruction_ns = 0;  // of a unit of work, from the run on one worker, without its forks
  double busy_factor = 1;     // how many times as long one worker takes beside busy ones
  double serial_s = 0;        // the median
  report::samples real;       // seconds
  report::summary simulated;  // seconds, over seeds
  time_range range;
  report::samples ratios;  // simulated time / real time, by rounds

  [[nodiscard]] double speedup() const { return serial_s / simulated.mean; }  // simulated
  [[nodiscard]] bool is_in_range() const {
    return range.least <= real.median() && real.median() <= range.greatest;
  }
  [[nodiscard]] double difference() const { return ratios.median() - 1; }
  [[nodiscard]] bool agrees() const {
    return difference() <= agreement && difference() >= -agreement;
  }
};

struct forecast_row {
  std::string program, dag;
  std::uint32_t processors = 0;
  double instruction_ns = 0;
  double serial_s = 0;
  report::summary seconds;
  time_range range;
  double work_share = 0, overhead_share = 0, asleep_share = 0;  // means
  double steals = 0;

  [[nodiscard]] double speedup() const { return serial_s / seconds.mean; }
};

struct program_forecast {
  std::vector<checked_row> checked;    // on the processors that this machine has
  std::vector<forecast_row> forecast;  // on those that it hasn't
};

struct forecast_settings {
  std::vector<std::uint32_t> processors;  // ascending
  unsigned repeat = 11;                   // rounds of real runs
  std::uint64_t seeds = 3;                // simulated runs
  bool is_quick = false;
  bool measures_forks = true;  // in each round, instead of fork_ns of the costs
};

// Real runs on some number of workers. The machine's speed changes from one moment to the next, so
// each round also has a run that tells the speed: of the serial program, or of as many copies at
// the same time, each on one worker. Each worker is bound to a processor of its own, as in the lab;
// otherwise the system now and then leaves two on one for some milliseconds.
struct real_machine {
  explicit real_machine(unsigned workers)
      : threads({.workers = workers, .placement = placement_kind::pinned}) {}

  bench::whole_pool threads;
  report::samples forked;     // seconds
  report::samples reference;  // seconds in the same round
};

class forecaster {
 public:
  // Is told what runs now; "" when nothing does.
  using announcer = std::function<void(const std::string&)>;

  // Throws resource_error where the system refuses threads.
  forecaster(forecast_settings settings, cost_range costs, announcer announce);

  // Throws bench::wrong_result for a program whose result with forks isn't the serial one.
  [[nodiscard]] program_forecast study(const lab_program& program);

  [[nodiscard]] const lab::cost_model& costs() const { return costs_.usual; }
  // The most workers of real runs; 2 where the machine has them and something is forecast.
  [[nodiscard]] unsigned most_workers() const { return most_; }
  [[nodiscard]] bool has_forecasts() const { return !absent_.empty(); }

 private:
  void measure(const lab_program& program);
  void measure_round(const lab_program& program);
  [[nodiscard]] double run_copy(pool& workers, unsigned i, const lab_program& program,
                                std::uint64_t expected);
  // Calls each(costs, quantile) for the three kinds of costs.
  template <class Each>
  void for_each_cost(const Each& each) {
    each(costs_.usual, lab::median_cost.quantile);
    each(costs_.low, lab::lower_quartile.quantile);
    each(costs_.high, lab::upper_quartile.quantile);
  }
  void price(std::uint64_t work);
  [[nodiscard]] checked_row check(const real_machine& machine, lab::computation& simulated);
  [[nodiscard]] forecast_row forecast(std::uint32_t processors, lab::computation& simulated);
  [[nodiscard]] lab::timed_row simulate(lab::computation& simulated, std::uint32_t processors,
                                        time_range& range);

  forecast_settings settings_;
  cost_range costs_;
  announcer announce_;
  // The numbers of processors that this machine has, and the others.
  std::vector<std::uint32_t> real_, absent_;
  unsigned most_ = 1;
  std::vector<std::unique_ptr<pool>> singles_;  // of one worker, bound to a processor each
  // These belong to the program that was measured last.
  std::vector<std::unique_ptr<real_machine>> machines_;
  std::vector<std::unique_ptr<program_copy>> copies_;
  report::samples serial_, one_;  // seconds
  report::samples fork_ns_;
  std::uint64_t forks_ = 0;
};

}  // namespace heist::calibration
