// The page that shows a recorded run: heist report.
#pragma once

#include <iosfwd>

#include "recording/summary.hpp"

namespace heist::report {

// One HTML file that needs nothing else and loads nothing: the built page
// (src/report/run_page.html, made by scripts/build-report-page) with what the command says of the
// recording in it (trace::to_json), so that both say the same, and what pictures need besides: the
// slices of the lanes, the steals and the counters as columns in base64. Names may hold anything:
// no byte of them is read as markup. Writes 32 bytes for a slice and 22 for a steal. Throws
// what the stream throws.
void write_run_page(std::ostream& out, const trace::recording& run, const trace::summary& numbers);

}  // namespace heist::report
