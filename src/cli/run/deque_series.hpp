// heist run --deque-series: how the sizes of the deques change while a program runs, beside the
// figures of the article from which the method is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <heist/deque_series.hpp>
#include <heist/pool.hpp>

#include "cli/output.hpp"
#include "report/table.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

// What was asked for.
struct series_request {
  std::string file;         // .html, .svg or .csv; empty: none
  double step_ticks = 100;  // dt
};

struct series_report {
  std::string workload;
  unsigned workers = 0;
  std::string deque;  // the deque's name
  double step_ticks = 0;
  double seconds = 0;        // of the run that was observed
  double plain_seconds = 0;  // of those that weren't: the median
  deque_series series;
  std::vector<size_changes> changes;
};

// Runs the program once more, in a pool of its own that is observed. A wrong result is in
// `mistake`.
[[nodiscard]] series_report observe_run(std::string_view name, workloads::instance& instance,
                                        const pool_config& config, workloads::execution how,
                                        const series_request& request, double plain_seconds,
                                        std::optional<std::string>& mistake);

// A row for each deque, and one for each of the article's.
[[nodiscard]] report::table series_table(const series_report& report);
// The same as an object of JSON.
[[nodiscard]] std::string series_json(const series_report& report);

void print_series(const series_report& report, output& out);
// Writes the picture, or the samples as CSV; nothing if no file was asked for. Throws
// resource_error.
void write_series(const series_report& report, const series_request& request,
                  const std::string& command);

}  // namespace heist::cli
