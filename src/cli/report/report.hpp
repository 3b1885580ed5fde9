// heist report: what a recorded run says.
#pragma once

#include <string>

#include "cli/program.hpp"

namespace heist::cli {

struct report_request {
  std::string file;     // a trace, in either form
  bool json = false;    // an object instead of text
  std::string profile;  // a file of HEIST_PROFILE=workspan:FILE, of the same run, or empty
  std::string page;     // a file for a page, or empty
  std::string convert;  // a file for the trace in the other form, or empty
};

[[nodiscard]] reader<report_request> add_report(arguments& own);
int report_trace(const report_request& request, output& out);

}  // namespace heist::cli
