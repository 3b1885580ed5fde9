// heist report: what a recorded run says.
#pragma once

#include <string>

namespace heist::cli {

struct report_request {
  std::string file;     // a trace, in either form
  bool json = false;    // an object instead of text
  std::string page;     // a file for a page, or empty
  std::string convert;  // a file for the trace in the other form, or empty
};

}  // namespace heist::cli
