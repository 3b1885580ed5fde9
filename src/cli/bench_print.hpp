#pragma once

#include "cli/commands.hpp"
#include "report/results.hpp"

namespace heist::cli {

// Prints results in the requested form, and writes the page if one is wanted.
void print(const report::results& of, const bench_output& how, output& out);

}  // namespace heist::cli
