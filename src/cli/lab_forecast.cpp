// heist lab forecast: how far the lab's times are those of this machine, and what it says of larger ones.
#include "cli/lab_forecast.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <heist/error.hpp>
#include <heist/pool.hpp>

#include "bench/rounds.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/lab_json.hpp"
#include "cli/lab_measure.hpp"
#include "cli/lab_programs.hpp"
#include "cli/progress.hpp"
#include "lab/experiments/timed_study.hpp"
#include "runtime/environment.hpp"

namespace heist::cli {

namespace {

using bench::samples;
using bench::seconds_of;

// Real runs on so many workers. How fast the machine is changes from one moment to the next, so each round has a run of
// something else that tells: the serial program, or as many copies on one worker each at the same time. The workers are
// bound, each to a processor of its own as in the lab: else the system now and then leaves two on one for some milliseconds.
struct real_machine {
  explicit real_machine(unsigned workers)
      : on({.workers = workers, .placement = placement_kind::pinned}) {}

  bench::whole_pool on;
  samples forked;     // seconds
  samples reference;  // seconds in the same round
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
    for (unsigned i = 0; i < most_; ++i)
      singles_.push_back(std::make_unique<bench::whole_pool>(pool_config{.workers = 1}));
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
      if (row.processors > 1) row.busy_factor = ratio(machine->reference, one_).median();
      row.forks = forks_;
      row.fork_ns = costs_.fork_ns;
      row.real = machine->forked;
      row.simulated = simulate(*simulated, instruction_ns, row.busy_factor, row.processors).seconds;
      row.ratios = scaled(ratio(machine->reference, machine->forked),
                          row.simulated.mean / machine->reference.median());
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
      // As a table it comes when all the others are there.
      if (request_.form == report_form::text)
        forecasts_.push_back(row);
      else
        print(row);
    }
  }

  void print_heads() {
    if (request_.form == report_form::csv)
      out_.print(
          "kind,program,dag,processors,instruction_ns,busy_factor,serial_s,real_s,real_least_s,"
          "real_greatest_s,seconds,speedup,difference,within_15_percent\n");
    if (request_.form == report_form::text)
      out_.print("costs {}: fork {:.2f} ns{}, steal {:.0f} ns, resume {:.0f} ns, wake {:.0f} ns\n",
                 request_.costs.empty() ? "measured now" : "of " + request_.costs, costs_.fork_ns,
                 request_.costs.empty() ? ", again in each round" : "", costs_.steal_ns,
                 costs_.suspend_ns, costs_.wake_ns);
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
    serial_ = one_ = {};
    samples fork_ns;
    copies_.clear();
    for (unsigned i = 0; i < most_; ++i) copies_.push_back(program.make(request_.quick));
    for (const auto p : real_) machines_.push_back(std::make_unique<real_machine>(p));
    auto& first = *copies_.front();
    for (unsigned round = 1; round <= request_.repeat; ++round) {
      line_.show(fmt::format("{}: round {} of {}", program.name, round, request_.repeat));
      first.reset();
      serial_.add(run_on(*singles_.front(), [&] { first.run_serial(); }));
      const auto expected = first.result();
      const auto run_copy = [&](pool& on, unsigned i) {
        const double took = run_on(on, [&] { copies_[i]->run_forked(); });
        bench::check_result(std::string(program.name), expected, copies_[i]->result());
        return took;
      };
      first.reset();
      one_.add(run_copy(*singles_.front(), 0));
      // A fork changes more with the machine's speed than plain code does.
      if (request_.costs.empty())
        fork_ns.add(measure_fork_ns(*singles_.front(), request_.quick ? 20 : 27));
      for (const auto& machine : machines_) {
        const auto workers = machine->on.workers();
        if (workers == 1) {
          machine->forked.add(one_.values().back());
          machine->reference.add(serial_.values().back());
          continue;
        }
        machine->reference.add(seconds_beside(
            workers,
            [&](unsigned i) { return run_on(*singles_[i], [&] { copies_[i]->run_forked(); }); },
            [&](unsigned i) { copies_[i]->reset(); }));
        first.reset();
        machine->forked.add(run_copy(machine->on, 0));
      }
    }
    if (!fork_ns.empty()) costs_.fork_ns = fork_ns.median();
    line_.show(fmt::format("{}: forks", program.name));
    first.reset();
    forks_ = first.forks();
    line_.clear();
  }

  // Seconds, without the way in. The serial program runs on the worker too that runs the other one: two processors may differ
  // at the moment.
  template <class Function>
  static double run_on(pool& on, Function function) {
    double took = 0;
    on.run([&] { took = seconds_of(function); });
    return took;
  }

  lab::timed_row simulate(lab::computation& simulated, double instruction_ns, double busy_factor,
                          std::uint32_t processors) {
    lab::timed_settings settings;
    settings.processors = processors;
    settings.costs = costs_;
    settings.costs.instruction_ns = instruction_ns;
    settings.costs.busy_factor = busy_factor;
    const auto result =
        lab::run_timed_row(simulated, settings, request_.seeds, [&](std::uint64_t seed) {
          line_.show(
              fmt::format("simulated on {}: seed {} of {}", processors, seed, request_.seeds));
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
    out_.print(
        "\nreal times are medians of {} runs, simulated ones means of {} seeds; off: the median "
        "over "
        "rounds,\nwith the machine's speed in each; {}\n",
        request_.repeat, request_.seeds,
        is_missed_ ? "some are more than 15% off" : "all are within 15%");
    if (request_.quick) out_.print("a quick run, whose figures mean little\n");
    if (absent_.empty()) return;
    out_.print(
        "The forecast assumes that\n"
        "  {}\n"
        "  - each processor has the clock and the caches of one here, and is as much slower beside "
        "a busy\n"
        "    one as it is here (the column busy, with {} at work), however many there are\n"
        "  - nothing else runs on the machine\n"
        "  - memory is as near to all and keeps up with all: no limit of bandwidth\n"
        "  - data that moves with a stolen thread costs nothing\n"
        "  - a unit of work takes the same time in all parts of a program\n"
        "  - to suspend a frame takes as long as to resume it\n"
        "  - thieves ask any other processor with equal probability\n",
        costs_.distances.size() < 2
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
  std::vector<std::unique_ptr<pool>> singles_;  // of one worker
  std::vector<std::unique_ptr<real_machine>> machines_;
  // Of the program that was measured last.
  std::vector<std::unique_ptr<program_copy>> copies_;
  samples serial_, one_;  // seconds
  std::uint64_t forks_ = 0;
  double last_factor_ = 1;
  bool is_missed_ = false;
  std::vector<forecast_row> forecasts_;
};

}  // namespace

int forecast(const forecast_request& request, output& out, std::FILE* err) {
  if (detail::serial_elision())
    throw usage_error("HEIST_SERIAL is set: no real run would be a parallel one");
  lab::cost_model costs;
  if (!request.costs.empty()) {
    costs = lab::costs_from_file(request.costs);
  } else {
    progress line(err);
    measure_settings settings;
    settings.workers = std::max(2u, bench::workers_of({}));
    settings.is_quick = request.quick;
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
