#pragma once

#include "cli/bench/requests.hpp"
#include "report/results.hpp"

namespace heist::cli {

// Prints results in the requested form, and writes the pages that are wanted.
void print(const report::results& of, const bench_output& how, output& out);

// The pages alone: HTML, and Markdown with a picture file FILE-1.svg and so on for each chart.
void write_pages(const report::results& of, const bench_output& how);

// Throws resource_error if a page can't be written, before anything is measured.
void require_writable_pages(const bench_output& how);

}  // namespace heist::cli
