// heist theory granularity: how finely to cut a loop into tasks.
#pragma once

#include <string>
#include <vector>

#include "cli/row_output.hpp"
#include "cli/theory/theory.hpp"
#include "report/chart.hpp"
#include "report/columns.hpp"

namespace heist::cli {

// `setup` must outlive the columns.
[[nodiscard]] report::columns<lab::granularity_row> granularity_columns(
    const lab::granularity_setup& setup);
[[nodiscard]] row_views granularity_views();

// A curve for each scheduler, against the tasks for each processor.
[[nodiscard]] report::chart granularity_chart(const lab::granularity_setup& setup,
                                              const std::vector<lab::granularity_row>& rows,
                                              granularity_curve what);

int granularity(const granularity_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
