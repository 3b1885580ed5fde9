#include "platform/program.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/sysctl.h>

#include <array>

namespace heist::inline v0::platform {

std::string program_name() { return ::getprogname(); }

std::string processor_name() {
  std::array<char, 256> name{};
  std::size_t length = name.size() - 1;
  if (::sysctlbyname("machdep.cpu.brand_string", name.data(), &length, nullptr, 0) != 0)
    return "unknown processor";
  return name.data();
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
