// The requests that the commands of heist itself get, and those commands, which have a file each.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <heist/config.hpp>

#include "cli/deque_series.hpp"
#include "cli/output.hpp"
#include "cli/report.hpp"
#include "cli/top.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

struct list_request {
  bool json = false;
};

struct presets_request {
  bool json = false;
};

// What a counter or the like means.
struct explain_request {
  std::string name;  // empty: all of them, a line each
};

struct info_request {
  bool json = false;
};

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

// Each returns an exit code, and throws heist's errors.
int list(const list_request& request, output& out);
int list_presets(const presets_request& request, output& out);
int explain(const explain_request& request, output& out);
int info(const info_request& request, output& out);
int run(const run_request& request, output& out, std::FILE* err);
int report_trace(const report_request& request, output& out);
int top(const top_request& request, output& out);

}  // namespace heist::cli
