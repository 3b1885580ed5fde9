// heist run: workloads, checked and timed.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <heist/config.hpp>

#include "cli/program.hpp"
#include "cli/run/deque_series.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

struct chosen_workload {
  const workloads::workload* workload;
  workloads::option_values values;
};

struct run_request {
  std::vector<chosen_workload> chosen;
  bool all = false;  // prints a table, even of one workload
  pool_config pool;  // of the P workers
  std::string preset;
  workloads::execution how;
  bool stats = false;  // prints what the workers counted
  unsigned repeat = 3;
  bool json = false;
  bool profile = false;  // one more run, for its work and span
  std::string costs;     // of the profile: a file; empty: the defaults
  std::string dag;       // a file for the profile's DAG; empty: none
  std::optional<series_request> deque_series;
  std::string command;  // the command line
};

[[nodiscard]] reader<run_request> add_run(arguments& own);
int run(const run_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
