// The charts and the page of `heist sim`.
#pragma once

#include <string>
#include <vector>

#include "cli/sim/sim.hpp"
#include "lab/checks/schedule.hpp"
#include "lab/dag/explicit_dag.hpp"
#include "report/page.hpp"

namespace heist::cli {

struct sim_results {
  const lab::measures& measures;
  const report::columns<sim_row>& columns;
  const std::vector<sim_row>& rows;
  const lab::schedule& schedule;  // of a small DAG; else empty
  const lab::explicit_dag* dag;   // nullptr if the computation makes its threads as it runs
};

// The title of a picture of the schedule.
[[nodiscard]] std::string schedule_title(const step_request& request);

// The fitted constants, in one line. Needs at least three rows.
[[nodiscard]] std::string fit_text(const lab::measures& of, const std::vector<sim_row>& rows);
// The constant of the bound on communication, of rows for at least two numbers of processors
// beyond one.
[[nodiscard]] std::string communication_fit_text(const lab::measures& of,
                                                 const std::vector<sim_row>& rows);

// The schedule of a small DAG, or the requested curve, as SVG.
[[nodiscard]] std::string sim_picture(const step_request& request, const sim_results& results);

// The page, as HTML.
[[nodiscard]] std::string sim_page(const step_request& request, const sim_results& results);

}  // namespace heist::cli
