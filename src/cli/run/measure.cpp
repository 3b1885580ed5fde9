#include "cli/run/measure.hpp"

#include <chrono>

#include <fmt/format.h>

#include <heist/region.hpp>

namespace heist::cli {

namespace {

template <class Function>
double seconds_of(Function&& function) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  function();
  return std::chrono::duration<double>(clock::now() - start).count();
}

std::string count_of_workers(unsigned workers) {
  return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s");
}

void time_serial_run(workloads::instance& instance, run_report& report, std::uint64_t& expected) {
  instance.reset();
  const region serial("serial");  // for traces
  report.serial.add(seconds_of([&] { instance.run_serial(); }));
  expected = instance.checksum();
  report.expected = instance.result();
  if (auto mistake = instance.mistake()) report.mistake = "serial: " + *mistake;
}

void time_pool_run(pool& on, workloads::instance& instance, workloads::execution how,
                   std::uint64_t expected, report::samples& times, run_report& report) {
  how.on = &on;
  instance.reset();
  const auto where = count_of_workers(on.workers());
  const region pooled(where.c_str());  // for traces
  times.add(seconds_of([&] { on.run([&] { instance.run_with(how); }); }));
  if (auto mistake = instance.mistake())
    report.mistake = where + ": " + *mistake;
  else if (instance.checksum() != expected)
    report.mistake = fmt::format("{}: the result is not that of the serial run: {}, not {}", where,
                                 instance.result(), report.expected);
}

}  // namespace

double run_report::steals_per_run() const {
  return static_cast<double>(stats.total.steals) / static_cast<double>(p_workers.size());
}

run_report measure(std::string_view name, workloads::instance& instance, const pool_config& config,
                   workloads::execution how, unsigned repeat,
                   const std::function<void(const std::string&)>& announce) {
  pool p_workers(config);
  std::optional<pool> one_worker;  // empty if P is 1
  if (p_workers.workers() > 1) {
    auto single = config;
    single.workers = 1;
    one_worker.emplace(single);
  }
  run_report report;
  report.workload = name;
  report.workers = p_workers.workers();
  report.missing_workers = p_workers.missing_workers();
  report.policies = p_workers.config();
  std::uint64_t expected = 0;
  for (unsigned turn = 1; turn <= repeat && !report.mistake; ++turn) {
    announce(fmt::format("run {} of {}, serial", turn, repeat));
    time_serial_run(instance, report, expected);
    if (one_worker && !report.mistake) {
      announce(fmt::format("run {} of {}, 1 worker", turn, repeat));
      time_pool_run(*one_worker, instance, how, expected, report.one_worker, report);
    }
    if (!report.mistake) {
      announce(fmt::format("run {} of {}, {}", turn, repeat, count_of_workers(report.workers)));
      time_pool_run(p_workers, instance, how, expected, report.p_workers, report);
    }
  }
  if (!one_worker) report.one_worker = report.p_workers;
  report.stats = p_workers.stats();
  report.result = instance.result();
  const auto work = instance.work();
  report.items = work.items;
  report.unit = work.unit;
  return report;
}

void profile(run_report& report, workloads::instance& instance, const pool_config& config,
             workloads::execution how, const work_span_options& options) {
  const auto expected = instance.checksum();
  instance.reset();
  start_work_span(options);
  try {
    pool measured(config);
    how.on = &measured;
    measured.run([&] { instance.run_with(how); });
  } catch (...) {
    static_cast<void>(stop_work_span());
    throw;
  }
  report.profile = stop_work_span();
  report.mistake = instance.mistake();
  if (!report.mistake && instance.checksum() != expected)
    report.mistake = fmt::format("profile: the result is not that of the serial run: {}, not {}",
                                 instance.result(), report.expected);
}

}  // namespace heist::cli
