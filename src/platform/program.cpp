#include "platform/program.hpp"

#include <dlfcn.h>
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

loaded_place find_loaded_place(const void* object) {
  Dl_info found{};
  if (::dladdr(object, &found) == 0 || found.dli_fname == nullptr) return {};
  loaded_place place;
  if (found.dli_sname != nullptr && found.dli_saddr == object) place.symbol = found.dli_sname;
  place.file = found.dli_fname;
  place.offset = static_cast<std::size_t>(static_cast<const char*>(object) -
                                          static_cast<const char*>(found.dli_fbase));
  return place;
}

const void* find_exported(const char* name) noexcept { return ::dlsym(RTLD_DEFAULT, name); }

}  // namespace heist::inline v0::platform
