// `heist NAME` becomes heist-NAME, the program beside this one or in libexec.
#pragma once

#include <string>
#include <vector>

#include "cli/registry.hpp"

namespace heist::cli {

// `words` are the command line from the command's name on, or "help" and it. Throws resource_error
// where there is no such program: the message says how to build it.
[[noreturn]] void become_program_of(const registered_command& command,
                                    std::vector<std::string> words);

}  // namespace heist::cli
