#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/suite/baseline.hpp"
#include "cli/bench/requests.hpp"
#include "report/results.hpp"

namespace heist::cli {

// Prints results in the requested form, and writes the pages that are wanted.
void print(const report::results& of, const bench_output& how, output& out);

// The pages alone: HTML, and Markdown with a picture file FILE-1.svg and so on for each chart.
void write_pages(const report::results& of, const bench_output& how);

// Throws usage_error or resource_error if it can't be read, before anything is measured.
void require_baseline(const bench_baseline& file);
// The ratios that are worse than the baseline's by more than the tolerance.
[[nodiscard]] std::vector<bench::checked_ratio> lost(const report::results& found,
                                                     const bench_baseline& than);
// Prints them, a line each. Returns the exit code.
int report_lost(const std::vector<bench::checked_ratio>& bad, const std::string& file,
                std::FILE* err);

// Throws resource_error if a page can't be written, before anything is measured.
void require_writable_pages(const bench_output& how);

}  // namespace heist::cli
