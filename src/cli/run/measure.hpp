// Times one workload serially, on one worker and on P workers. The three take turns, so that other
// load on the machine affects them alike.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heist/pool.hpp>
#include <heist/work_span.hpp>

#include "cli/run/deque_series.hpp"
#include "report/samples.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

struct run_report {
  std::string workload;
  std::vector<workloads::option_text> options;
  std::vector<std::string> files;
  std::string result;
  std::string expected;                // the result of the serial run
  std::optional<std::string> mistake;  // the first wrong result; every run is checked
  unsigned workers = 0;                // P
  std::string preset;
  pool_config policies;          // of the pools
  unsigned missing_workers = 0;  // threads that the system refused
  // Seconds of the repeated runs.
  report::samples serial, one_worker, p_workers;
  pool_stats stats;                  // of the P workers, over all their runs
  std::optional<work_span> profile;  // of one more run
  std::optional<double> others;      // the share of the processors that others had meanwhile
  double items = 0;                  // of one run
  std::string unit;
  std::optional<series_report> deque_series;  // of one more run

  // Ratios of the medians.
  [[nodiscard]] double overhead() const { return one_worker.median() / serial.median(); }
  [[nodiscard]] double speedup() const { return serial.median() / p_workers.median(); }
  [[nodiscard]] double scaling() const { return one_worker.median() / p_workers.median(); }
  [[nodiscard]] double steals_per_run() const;
};

// Runs everything `repeat` times, on pools of its own that are made from `config`, with the
// constructs of `how`. Before each run
// `announce` gets a description, as "run 3 of 5, 2 workers". The first wrong result ends it: then
// `mistake` is set, and the times mean nothing. Throws what the pools and the workload throw.
[[nodiscard]] run_report measure(std::string_view name, workloads::instance& instance,
                                 const pool_config& config, workloads::execution how,
                                 unsigned repeat,
                                 const std::function<void(const std::string&)>& announce);

// One more run, on a pool of its own, whose work and span are measured: they go into the report, or
// a wrong result does.
void profile(run_report& report, workloads::instance& instance, const pool_config& config,
             workloads::execution how, const work_span_options& options);

}  // namespace heist::cli
