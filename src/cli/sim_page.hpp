// What `heist sim` shows of its rows: charts, and a page.
#pragma once

#include <string>
#include <vector>

#include "cli/sim.hpp"
#include "lab/checks/schedule.hpp"
#include "lab/dag/explicit_dag.hpp"
#include "report/page.hpp"

namespace heist::cli {

struct sim_results {
  const lab::measures& measures;
  const report::columns<sim_row>& columns;
  const std::vector<sim_row>& rows;
  const lab::schedule& schedule;  // of a small DAG; else empty
  const lab::explicit_dag* dag;   // nullptr: it appears as it runs
};

// What a picture of the schedule is of.
[[nodiscard]] std::string schedule_title(const step_request& request);

// The fitted constants, in a line; of three rows at least.
[[nodiscard]] std::string fit_text(const lab::measures& of, const std::vector<sim_row>& rows);

// As SVG: the schedule of a small DAG, or the curve that was asked for.
[[nodiscard]] std::string sim_picture(const step_request& request, const sim_results& results);

// As HTML.
[[nodiscard]] std::string sim_page(const step_request& request, const sim_results& results);

}  // namespace heist::cli
