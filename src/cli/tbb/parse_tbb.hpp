// The arguments of `heist tbb`: options of its own, then a program with arguments that are not
// looked at.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace heist::cli {

// A program for oneTBB, with its arguments.
struct tbb_request {
  std::vector<std::string> program;
  std::string workers;  // empty: as it is
  bool stats = false;
};

// What stands after "tbb", or the help that it asks for. Throws usage_error.
[[nodiscard]] std::variant<std::string, tbb_request> parse_tbb(int argc, const char* const* argv);

}  // namespace heist::cli
