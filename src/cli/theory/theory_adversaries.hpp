// heist theory adversaries: kernels that are adversaries, against yields.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/row_output.hpp"
#include "cli/theory/theory.hpp"
#include "report/chart.hpp"
#include "report/columns.hpp"

namespace heist::cli {

[[nodiscard]] report::columns<lab::kernel_study_row> kernel_study_columns();
[[nodiscard]] row_views kernel_study_views();

// T over the bound, by kernel and yield, for the rows of one P.
[[nodiscard]] report::chart kernel_study_chart(const std::string& title,
                                               const std::vector<lab::kernel_study_row>& rows,
                                               std::uint32_t processes);

// What the fit says, in a line; "" without one.
[[nodiscard]] std::string kernel_study_fit_text(const std::vector<lab::kernel_study_row>& rows);

int study_kernels(const kernel_study_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
