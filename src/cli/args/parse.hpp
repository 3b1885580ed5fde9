// From arguments to a request.
#pragma once

#include "cli/commands.hpp"

namespace heist::cli {

// Throws usage_error, in one line, for arguments that ask for nothing that there is.
[[nodiscard]] any_request parse(int argc, const char* const* argv);

}  // namespace heist::cli
