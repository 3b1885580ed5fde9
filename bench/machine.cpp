#include "bench/machine.hpp"

#include <sys/utsname.h>

#include <cstdlib>
#include <fstream>

#include "platform/cpu_count.hpp"
#include "platform/machine_load.hpp"

namespace heist::bench {

namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string kernel_release() {
  utsname names{};
  if (uname(&names) != 0) return "unknown kernel";
  return std::string(names.sysname) + ' ' + names.release + ' ' + names.machine;
}

std::string compiler_version() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) + '.' +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " __VERSION__;
#endif
}

constexpr bool optimised_build() {
#if defined(__OPTIMIZE__) && defined(NDEBUG)
  return true;
#else
  return false;
#endif
}

}  // namespace

namespace {

platform::machine_load& watched() {
  static platform::machine_load since;
  return since;
}

}  // namespace

void note_others(report::machine& on) { on.others = watched().of_others(); }

report::machine this_machine() {
  watched() = platform::machine_load();
  const auto limits = platform::find_cpu_limits();
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = 0;
  return {.cpu = cpu_model(),
          .processors = limits.affinity,
          .quota = limits.quota.value_or(0),
          .kernel = kernel_release(),
          .compiler = compiler_version(),
          .flags = HEIST_BENCH_FLAGS,
          .is_optimised = optimised_build(),
          .load = load};
}

}  // namespace heist::bench
