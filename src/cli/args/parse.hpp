// Turns arguments into a request.
#pragma once

#include "cli/commands.hpp"

namespace heist::cli {

// Throws usage_error, with a message of one line, for arguments that make no request.
[[nodiscard]] any_request parse(int argc, const char* const* argv);

}  // namespace heist::cli
