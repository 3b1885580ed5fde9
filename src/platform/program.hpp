// What this process runs, and on what.
#pragma once

#include <string>

namespace heist::inline v0::platform {

// The file name of the program, without its folders.
[[nodiscard]] std::string program_name();
// The model of the first processor as the system names it; else the machine's architecture.
[[nodiscard]] std::string processor_name();

}  // namespace heist::inline v0::platform
