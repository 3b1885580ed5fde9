// heist report: what a recorded run says.
#pragma once

#include <cstdint>
#include <string>

#include "cli/program.hpp"

namespace heist::cli {

inline constexpr std::uint64_t unbounded = ~std::uint64_t{0};

struct report_request {
  std::string file;     // a trace, in either form
  std::string after;    // one after a change, or empty
  bool json = false;    // an object instead of text
  std::string profile;  // a file of HEIST_PROFILE=workspan:FILE, of the same run, or empty
  std::string page;     // a file for a page, or empty
  std::string convert;  // a file for the trace once more, or empty
  std::uint64_t from_ns = 0, to_ns = unbounded;  // since its beginning
};

[[nodiscard]] reader<report_request> add_report(arguments& own);
int report_trace(const report_request& request, output& out);

}  // namespace heist::cli
