#include "platform/program.hpp"

#include <errno.h>
#include <sys/utsname.h>

#include <fstream>
#include <string_view>

namespace heist::inline v0::platform {

std::string program_name() { return ::program_invocation_short_name; }

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  constexpr std::string_view separator = ": ";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    if (const auto colon = line.find(separator); colon != std::string::npos)
      return line.substr(colon + separator.size());
  }
  utsname names{};
  return ::uname(&names) == 0 ? names.machine : "unknown processor";
}

}  // namespace heist::inline v0::platform
