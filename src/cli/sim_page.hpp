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
  const std::vector<sim_row>& rows;
  const lab::schedule& schedule;  // of a small DAG; else empty
  const lab::explicit_dag* dag;   // nullptr: it appears as it runs
};

// What a picture of the schedule is of.
[[nodiscard]] std::string schedule_title(const sim_request& request);

// The fitted constants, in a line; of three rows at least.
[[nodiscard]] std::string fit_text(const lab::measures& of, const std::vector<sim_row>& rows);

// As SVG: the schedule of a small DAG, or the curve that was asked for.
[[nodiscard]] std::string sim_picture(const sim_request& request, const sim_results& results);

// As HTML.
[[nodiscard]] std::string sim_page(const sim_request& request, const sim_results& results);

// A row of a table for people: what a column is called, and the cell.
using named_cells = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] report::table table_of(const std::vector<named_cells>& rows);

// Half the interval of the mean, in per cent of it; "-" for a single value.
[[nodiscard]] std::string relative_error(const report::summary& of);

}  // namespace heist::cli
