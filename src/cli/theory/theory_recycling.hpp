// heist theory recycling: many games for each adversary, the distribution of their delays beside
// Lemma 6.
#pragma once

#include <string>
#include <vector>

#include "cli/row_output.hpp"
#include "cli/theory/theory.hpp"
#include "report/chart.hpp"
#include "report/columns.hpp"

namespace heist::cli {

// `setup` must outlive the columns.
[[nodiscard]] report::columns<lab::recycling_row> recycling_columns(
    const lab::recycling_setup& setup);
[[nodiscard]] row_views recycling_views();

// "searched: tosses 8 8 8 8 8 8 8 8 8 eighths of the reservoir, from no ball in bins to all"
[[nodiscard]] std::string describe(const lab::adversary_rule& rule);

// D/M over the games, by adversary, with E[D] <= M as a line.
[[nodiscard]] report::chart delay_chart(const lab::recycling_setup& setup,
                                        const std::vector<lab::recycling_row>& rows);

[[nodiscard]] std::string recycling_page(const lab::recycling_setup& setup,
                                         const std::vector<lab::recycling_row>& rows,
                                         const std::string& command);

int recycling(const recycling_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
