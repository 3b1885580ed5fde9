#include "bench/machine.hpp"

#include <sys/utsname.h>

#include <cstdlib>

#include "platform/cpu_count.hpp"
#include "platform/machine_load.hpp"
#include "platform/program.hpp"

namespace heist::bench {

namespace {

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
  return {.cpu = platform::processor_name(),
          .processors = limits.affinity,
          .quota = limits.quota.value_or(0),
          .kernel = kernel_release(),
          .compiler = compiler_version(),
          .flags = HEIST_BENCH_FLAGS,
          .is_optimised = optimised_build(),
          .load = load};
}

}  // namespace heist::bench
