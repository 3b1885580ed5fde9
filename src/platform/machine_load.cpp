#include "platform/machine_load.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#endif

#include "platform/cpu_count.hpp"

namespace heist::inline v0::platform {

namespace {

constexpr double least_share = 0.1;
constexpr double least_seconds = 0.5;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

#if defined(__linux__)

// Seconds for which these processors ran anything, what a hypervisor took among them.
std::optional<double> busy_seconds(const std::vector<int>& cpus) {
  std::ifstream file("/proc/stat");
  double ticks = 0;
  std::size_t seen = 0;
  for (std::string line; std::getline(file, line);) {
    int cpu = -1;
    unsigned long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0,
                       steal = 0;
    if (std::sscanf(line.c_str(), "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &user,
                    &nice, &system, &idle, &wait, &irq, &soft, &steal) < 8)
      continue;
    if (!std::binary_search(cpus.begin(), cpus.end(), cpu)) continue;
    ++seen;
    ticks += static_cast<double>(user + nice + system + irq + soft + steal);
  }
  if (seen == 0) return std::nullopt;
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double seconds_of(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

// Of this process, and of those that it has waited for.
std::optional<double> own_seconds() {
  double sum = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    if (::getrusage(whose, &used) != 0) return std::nullopt;
    sum += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  }
  return sum;
}

#else

std::optional<double> busy_seconds(const std::vector<int>&) { return std::nullopt; }
std::optional<double> own_seconds() { return std::nullopt; }

#endif

}  // namespace

machine_load::machine_load()
    : cpus_(affinity_cpus()),
      begin_ns_(now_ns()),
      busy_(busy_seconds(cpus_)),
      own_(own_seconds()) {}

std::optional<double> machine_load::of_others() const {
  const double passed = static_cast<double>(now_ns() - begin_ns_) * 1e-9;
  const std::optional<double> busy = busy_seconds(cpus_);
  const std::optional<double> own = own_seconds();
  if (!busy_ || !own_ || !busy || !own || passed < least_seconds) return std::nullopt;
  const double of_others = (*busy - *busy_) - (*own - *own_);
  return std::clamp(of_others / (passed * static_cast<double>(cpus_.size())), 0.0, 1.0);
}

std::string words_about(std::optional<double> of_others) {
  if (!of_others || *of_others < least_share) return "";
  char text[160];
  std::snprintf(text, sizeof(text),
                "others had %.0f %% of the processors' time meanwhile: measure again when they are "
                "free",
                100 * *of_others);
  return text;
}

}  // namespace heist::inline v0::platform
