// The page that shows a recorded run: heist report.
#pragma once

#include <iosfwd>

#include "recording/recording.hpp"

namespace heist::report {

// One HTML file that needs nothing else and loads nothing: the built page
// (src/report/run_page.html, made by scripts/build-report-page) with the recording as JSON in it,
// its events as columns in base64. Names may hold anything: no byte of them is read as markup. The
// page leaves events out that name a lane or a name which the recording doesn't have, and says how
// many. Writes about 42 bytes for an event. Throws what the stream throws.
void write_run_page(std::ostream& out, const trace::recording& run);

}  // namespace heist::report
