#include "calibration/forecast.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "calibration/costs.hpp"
#include "platform/affinity.hpp"
#include "platform/cpu_count.hpp"

namespace heist::calibration {

namespace {

using bench::seconds_of;
using report::samples;

// Of the time on one worker: a program may do hardly anything but fork, and the price of a fork is
// measured in another one.
constexpr double least_work_share = 0.01;

// The seconds of a call on a worker, without the way into the pool. The serial program runs on the
// same worker as the forked one, as the speeds of two processors may differ at the moment.
template <class Function>
double run_on(pool& workers, Function function) {
  double took = 0;
  workers.run([&] { took = seconds_of(function); });
  return took;
}

}  // namespace

forecaster::forecaster(forecast_settings settings, cost_range costs, announcer announce)
    : settings_(std::move(settings)), costs_(std::move(costs)), announce_(std::move(announce)) {
  const unsigned available = bench::workers_of({});
  for (const auto p : settings_.processors) (p <= available ? real_ : absent_).push_back(p);
  // A forecast needs to know how fast processors are beside busy ones.
  const auto needed = std::min(2u, available);
  if (real_.empty() || (!absent_.empty() && real_.back() < needed)) real_.push_back(needed);
  most_ = real_.back();
  const auto cpus = platform::affinity_cpus();
  for (unsigned i = 0; i < most_; ++i) {
    const int cpu = cpus.empty() ? -1 : cpus[i % cpus.size()];
    singles_.push_back(std::make_unique<bench::whole_pool>(
        pool_config{.workers = 1, .on_thread_start = [cpu](unsigned) {
                      // A refusal leaves it where the system puts it.
                      if (cpu >= 0) static_cast<void>(platform::pin_this_thread(cpu));
                    }}));
  }
}

program_forecast forecaster::study(const lab_program& program) {
  const auto dag = program.computation(settings_.is_quick);
  const auto simulated = lab::make_computation(dag);
  const auto measured = simulated->measure();
  measure(program);
  price(measured.work);
  program_forecast result;
  for (const auto& machine : machines_) result.checked.push_back(check(*machine, *simulated));
  for (const auto p : absent_) result.forecast.push_back(forecast(p, *simulated));
  const auto name = [&](auto& rows) {
    for (auto& row : rows) {
      row.program = program.name;
      row.dag = dag;
    }
  };
  name(result.checked);
  name(result.forecast);
  return result;
}

// Of a fork and of a unit of work. From the forked program on one worker and not from the serial
// one: its T1 is what is divided by P, and compilers make other code of the same function in the
// two (fib's recursion a loop, a product's leaves in another order).
void forecaster::price(std::uint64_t work) {
  for_each_cost([&](lab::cost_model& costs, double quantile) {
    if (!fork_ns_.empty()) costs.fork_ns = fork_ns_.quantile(quantile);
    const double one_ns = one_.quantile(quantile) * 1e9;
    const double without_forks_ns = one_ns - static_cast<double>(forks_) * costs.fork_ns;
    costs.instruction_ns =
        std::max(without_forks_ns, least_work_share * one_ns) / static_cast<double>(work);
  });
}

checked_row forecaster::check(const real_machine& machine, lab::computation& simulated) {
  checked_row row;
  row.processors = machine.threads.workers();
  const auto busy = ratio(machine.reference, one_);
  for_each_cost([&](lab::cost_model& costs, double quantile) {
    costs.busy_factor = row.processors > 1 ? busy.quantile(quantile) : 1;
  });
  row.instruction_ns = costs_.usual.instruction_ns;
  row.busy_factor = costs_.usual.busy_factor;
  row.forks = forks_;
  row.fork_ns = costs_.usual.fork_ns;
  row.serial_s = serial_.median();
  row.real = machine.forked;
  row.simulated = simulate(simulated, row.processors, row.range).seconds;
  row.ratios = scaled(ratio(machine.reference, machine.forked),
                      row.simulated.mean / machine.reference.median());
  return row;
}

// Processors are as much slower beside others as those that were checked last.
forecast_row forecaster::forecast(std::uint32_t processors, lab::computation& simulated) {
  forecast_row row;
  row.processors = processors;
  row.instruction_ns = costs_.usual.instruction_ns;
  row.serial_s = serial_.median();
  const auto found = simulate(simulated, processors, row.range);
  row.seconds = found.seconds;
  row.work_share = found.work_share.mean;
  row.overhead_share = found.overhead_share.mean;
  row.asleep_share = found.asleep_share.mean;
  row.steals = found.steals.mean;
  return row;
}

// The runs take turns, so that other load on the machine hits all of them alike.
void forecaster::measure(const lab_program& program) {
  machines_.clear();
  copies_.clear();
  serial_ = one_ = fork_ns_ = {};
  for (unsigned i = 0; i < most_; ++i) copies_.push_back(program.make(settings_.is_quick));
  for (const auto p : real_) machines_.push_back(std::make_unique<real_machine>(p));
  for (unsigned round = 1; round <= settings_.repeat; ++round) {
    announce_(fmt::format("{}: round {} of {}", program.name, round, settings_.repeat));
    measure_round(program);
  }
  announce_(fmt::format("{}: forks", program.name));
  copies_.front()->reset();
  forks_ = copies_.front()->forks();
  announce_("");
}

double forecaster::run_copy(pool& workers, unsigned i, const lab_program& program,
                            std::uint64_t expected) {
  const double took = run_on(workers, [&] { copies_[i]->run_forked(); });
  bench::check_result(std::string(program.name), expected, copies_[i]->result());
  return took;
}

void forecaster::measure_round(const lab_program& program) {
  auto& first = *copies_.front();
  first.reset();
  serial_.add(run_on(*singles_.front(), [&] { first.run_serial(); }));
  const auto expected = first.result();
  first.reset();
  one_.add(run_copy(*singles_.front(), 0, program, expected));
  // A fork changes more with the machine's speed than plain code does.
  if (settings_.measures_forks)
    fork_ns_.add(measure_fork_ns(*singles_.front(), settings_.is_quick ? 20 : 27));
  for (const auto& machine : machines_) {
    const auto workers = machine->threads.workers();
    if (workers == 1) {
      machine->forked.add(one_.values().back());
      machine->reference.add(one_.values().back());
      continue;
    }
    machine->reference.add(seconds_beside(
        workers,
        [&](unsigned i) { return run_on(*singles_[i], [&] { copies_[i]->run_forked(); }); },
        [&](unsigned i) { copies_[i]->reset(); }));
    first.reset();
    machine->forked.add(run_copy(machine->threads, 0, program, expected));
  }
}

lab::timed_row forecaster::simulate(lab::computation& simulated, std::uint32_t processors,
                                    time_range& range) {
  lab::timed_settings settings;
  settings.processors = processors;
  const auto with = [&](const lab::cost_model& costs, std::uint64_t seeds) {
    settings.costs = costs;
    return lab::run_timed_row(simulated, settings, seeds, [&](std::uint64_t seed) {
      announce_(fmt::format("simulated on {}: seed {} of {}", processors, seed, seeds));
    });
  };
  const auto usual = with(costs_.usual, settings_.seeds);
  range.least = std::min(usual.seconds.least, with(costs_.low, 1).seconds.least);
  range.greatest = std::max(usual.seconds.greatest, with(costs_.high, 1).seconds.greatest);
  announce_("");
  return usual;
}

}  // namespace heist::calibration
