// The arguments of `heist tbb`: options of its own, then a program with arguments that are not
// looked at.
#pragma once

#include "cli/commands.hpp"

namespace heist::cli {

// The arguments after "tbb". Throws usage_error.
[[nodiscard]] any_request parse_tbb(int argc, const char* const* argv);

}  // namespace heist::cli
