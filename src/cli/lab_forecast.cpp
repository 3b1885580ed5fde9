// heist lab forecast: how far the lab's times are those of this machine, and what it says of larger ones.
#include "cli/lab_forecast.hpp"

#include <algorithm>
#include <barrier>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <heist/pool.hpp>

#include "bench/rounds.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/lab_json.hpp"
#include "cli/lab_measure.hpp"
#include "cli/lab_programs.hpp"
#include "cli/progress.hpp"
#include "cli/sim_costs.hpp"
#include "lab/table.hpp"

namespace heist::cli {

namespace {

using bench::samples;
using bench::seconds_of;

// On so many workers, with a copy of the program for each, for the runs beside one another.
struct real_machine {
  explicit real_machine(unsigned workers) : on({.workers = workers}) {}

  bench::whole_pool on;
  samples forked;  // seconds
  samples beside;  // seconds of the serial program on as many threads at once
};

class forecaster {
 public:
  forecaster(const forecast_request& request, const lab::cost_model& costs, output& out,
             std::FILE* err)
      : request_(request), costs_(costs), out_(out), line_(err) {
    const unsigned available = bench::workers_of({});
    for (const auto p : request.processors) (p <= available ? real_ : absent_).push_back(p);
    // A forecast needs to know how fast processors are beside busy ones.
    const auto needed = std::min(2u, available);
    if (real_.empty() || (!absent_.empty() && real_.back() < needed)) real_.push_back(needed);
    most_ = real_.back();
  }

  void check(const lab_program& program) {
    const auto dag = program.computation(request_.quick);
    const auto simulated = lab::make_computation(dag);
    const auto of = simulated->measure();
    measure(program);
    const double instruction_ns = serial_.median() * 1e9 / static_cast<double>(of.work);
    for (const auto& machine : machines_) {
      checked_row row;
      row.program = program.name;
      row.dag = dag;
      row.processors = machine->on.workers();
      row.instruction_ns = instruction_ns;
      if (row.processors > 1) row.busy_factor = ratio(machine->beside, serial_).median();
      row.forks = forks_;
      row.real = machine->forked;
      row.simulated = simulate(*simulated, instruction_ns, row.busy_factor, row.processors).seconds;
      print(row);
      if (row.processors == most_) last_factor_ = row.busy_factor;
      is_missed_ = is_missed_ || !row.agrees();
    }
    for (const auto p : absent_) {
      forecast_row row;
      row.program = program.name;
      row.dag = dag;
      row.processors = p;
      row.instruction_ns = instruction_ns;
      row.serial_s = serial_.median();
      const auto found = simulate(*simulated, instruction_ns, last_factor_, p);
      row.seconds = found.seconds;
      row.work_share = found.work_share.mean;
      row.overhead_share = found.overhead_share.mean;
      row.asleep_share = found.asleep_share.mean;
      row.steals = found.steals.mean;
      forecasts_.push_back(row);
    }
  }

  void print_heads() {
    if (request_.form == report_form::csv)
      out_.print(
          "kind,program,dag,processors,instruction_ns,busy_factor,serial_s,real_s,real_least_s,"
          "real_greatest_s,seconds,speedup,difference,within_15_percent\n");
    if (request_.form == report_form::text)
      out_.print("{:<11}{:>8}{:>12}{:>8}{:>12}{:>24}{:>14}{:>8}\n", "program", "workers",
                 "ns a unit", "busy", "real, s", "(least to greatest)", "simulated, s", "off");
    out_.flush();
  }

  void print_forecasts() {
    if (request_.form == report_form::text && !forecasts_.empty())
      out_.print("\n{:<11}{:>8}{:>14}{:>9}{:>10}{:>10}{:>10}{:>10}\n", "forecast", "workers",
                 "time, s", "speedup", "working", "overhead", "asleep", "steals");
    for (const auto& row : forecasts_) print(row);
    if (request_.form == report_form::text) print_assumptions();
  }

 private:
  // In turn, so that what else happens on the machine hits all of them alike.
  void measure(const lab_program& program) {
    machines_.clear();
    serial_ = {};
    std::vector<std::unique_ptr<program_copy>> copies;
    for (unsigned i = 0; i < most_; ++i) copies.push_back(program.make(request_.quick));
    for (const auto p : real_) machines_.push_back(std::make_unique<real_machine>(p));
    auto& first = *copies.front();
    std::uint64_t expected = 0;
    for (unsigned round = 1; round <= request_.repeat; ++round) {
      line_.show(fmt::format("{}: round {} of {}", program.name, round, request_.repeat));
      first.reset();
      serial_.add(seconds_of([&] { first.run_serial(); }));
      expected = first.result();
      for (const auto& machine : machines_) {
        first.reset();
        double took = 0;
        machine->on.run([&] { took = seconds_of([&] { first.run_forked(); }); });
        machine->forked.add(took);
        bench::check_result(std::string(program.name), expected, first.result());
        if (machine->on.workers() > 1)
          machine->beside.add(run_beside(copies, machine->on.workers()));
      }
    }
    line_.show(fmt::format("{}: forks", program.name));
    first.reset();
    forks_ = first.forks();
    line_.clear();
  }

  // The mean of so many serial runs at once.
  static double run_beside(const std::vector<std::unique_ptr<program_copy>>& copies,
                           unsigned count) {
    std::vector<double> took(count);
    {
      std::barrier ready(static_cast<std::ptrdiff_t>(count));
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
          copies[i]->reset();
          ready.arrive_and_wait();
          took[i] = seconds_of([&] { copies[i]->run_serial(); });
        });
    }
    double sum = 0;
    for (const double each : took) sum += each;
    return sum / count;
  }

  timed_row simulate(lab::computation& simulated, double instruction_ns, double busy_factor,
                     std::uint32_t processors) {
    lab::timed_settings settings;
    settings.processors = processors;
    settings.costs = costs_;
    settings.costs.instruction_ns = instruction_ns;
    settings.costs.busy_factor = busy_factor;
    const auto result = run_timed_row(simulated, settings, request_.seeds, [&](std::uint64_t seed) {
      line_.show(fmt::format("simulated on {}: seed {} of {}", processors, seed, request_.seeds));
    });
    line_.clear();
    return result;
  }

  void print(const checked_row& row) {
    if (request_.form == report_form::json) out_.print("{}\n", to_json(row));
    if (request_.form == report_form::csv)
      out_.print(
          "check,{},\"{}\",{},{:.6g},{:.4f},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.4f},{:.4f},{}\n",
          row.program, row.dag, row.processors, row.instruction_ns, row.busy_factor,
          serial_.median(), row.real.median(), row.real.least(), row.real.greatest(),
          row.simulated.mean, serial_.median() / row.simulated.mean, row.difference(),
          row.agrees() ? "yes" : "no");
    if (request_.form == report_form::text)
      out_.print("{:<11}{:>8}{:>12.4f}{:>8.2f}{:>12.5f}{:>24}{:>14.5f}{:>+7.1f}%{}\n", row.program,
                 row.processors, row.instruction_ns, row.busy_factor, row.real.median(),
                 fmt::format("({:.5f} to {:.5f})", row.real.least(), row.real.greatest()),
                 row.simulated.mean, 100 * row.difference(), row.agrees() ? "" : "  more than 15%");
    out_.flush();
  }

  void print(const forecast_row& row) {
    if (request_.form == report_form::json) out_.print("{}\n", to_json(row));
    if (request_.form == report_form::csv)
      out_.print("forecast,{},\"{}\",{},{:.6g},,{:.6g},,,,{:.6g},{:.4f},,\n", row.program, row.dag,
                 row.processors, row.instruction_ns, row.serial_s, row.seconds.mean, row.speedup());
    const auto share = [](double of) { return fmt::format("{:.1f}%", 100 * of); };
    if (request_.form == report_form::text)
      out_.print("{:<11}{:>8}{:>14.6f}{:>9.2f}{:>10}{:>10}{:>10}{:>10.0f}\n", row.program,
                 row.processors, row.seconds.mean, row.speedup(), share(row.work_share),
                 share(row.overhead_share), share(row.asleep_share), row.steals);
    out_.flush();
  }

  void print_assumptions() {
    out_.print("\nreal times are medians of {} runs, simulated ones means of {} seeds; {}\n",
               request_.repeat, request_.seeds,
               is_missed_ ? "some are more than 15% off" : "all are within 15% of each other");
    if (absent_.empty()) return;
    out_.print(
        "The forecast assumes that\n"
        "  {}\n"
        "  - each processor has the clock and the caches of one here, and is as much slower beside "
        "a busy\n"
        "    one as it is here (the column busy, with {} at work), however many there are\n"
        "  - memory is as near to all and keeps up with all: no limit of bandwidth\n"
        "  - data that moves with a stolen thread costs nothing\n"
        "  - a unit of work takes the same time in all parts of a program\n"
        "  - to suspend a frame takes as long as to resume it\n"
        "  - thieves ask any other processor with equal probability\n",
        costs_.distances.empty()
            ? "- a steal costs the same at every distance: here there is one distance only"
            : "- steals cost what was measured for each distance, and beyond that what the "
              "farthest one "
              "costs",
        most_);
  }

  const forecast_request& request_;
  lab::cost_model costs_;
  output& out_;
  progress line_;
  std::vector<std::uint32_t> real_, absent_;  // P that this machine has, and others
  unsigned most_ = 1;
  samples serial_;
  std::uint64_t forks_ = 0;
  std::vector<std::unique_ptr<real_machine>> machines_;
  double last_factor_ = 1;
  bool is_missed_ = false;
  std::vector<forecast_row> forecasts_;
};

}  // namespace

int forecast(const forecast_request& request, output& out, std::FILE* err) {
  lab::cost_model costs;
  if (!request.costs.empty()) {
    costs = lab::costs_from_file(request.costs);
  } else {
    progress line(err);
    measure_settings settings{std::max(2u, bench::workers_of({})), request.repeat, request.quick};
    costs = measure_costs(settings, [&](const std::string& what) {
              line.show("calibrate: " + what);
            }).model();
  }
  try {
    forecaster work(request, costs, out, err);
    work.print_heads();
    for (const auto* program : request.programs) work.check(*program);
    work.print_forecasts();
  } catch (const bench::wrong_result& wrong) {
    out.flush();
    fmt::print(err, "heist: {}\n", wrong.what());
    return result_differs;
  }
  return success;
}

}  // namespace heist::cli
