// Runs two libraries at once on one heist pool and on threads of their own, and prints a table:
// heist-two-libraries [--rounds N] [--threads N] [--size N]. Each run is a process; the sides take
// turns, and the medians count. Ends with 1 where a side's results differ from another's, with 2
// for wrong arguments.
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "heist/error.hpp"
#include "integrations/two_libraries/side.hpp"

namespace {

using namespace two_libraries;

struct options {
  unsigned rounds = 7;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  unsigned size = 32;
  int pair_number = -1;  // with a side: one run in this process
  int side_number = -1;
};

unsigned number(std::string_view name, std::string_view text, unsigned least, unsigned most) {
  unsigned n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < least || n > most)
    throw heist::usage_error(std::string(name) + " takes a number from " + std::to_string(least) +
                             " to " + std::to_string(most) + ", not '" + std::string(text) + "'");
  return n;
}

options parse(int count, char** arguments) {
  options o;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    const std::string_view value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--rounds")
      o.rounds = number(name, value, 1, 1000);
    else if (name == "--threads")
      o.threads = number(name, value, 1, 256);
    else if (name == "--size")
      o.size = number(name, value, 1, 1000);
    else if (name == "--pair")
      o.pair_number = static_cast<int>(number(name, value, 0, std::size(all_pairs) - 1));
    else if (name == "--side")
      o.side_number = static_cast<int>(number(name, value, 0, std::size(all_sides) - 1));
    else
      throw heist::usage_error("no option '" + std::string(name) +
                               "': --rounds N, --threads N, --size N");
  }
  if ((o.pair_number < 0) != (o.side_number < 0))
    throw heist::usage_error("--pair and --side belong together");
  return o;
}

measurement run_in_a_process(const job& j) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "exec '" + program + "' --pair " +
                              std::to_string(static_cast<int>(j.libraries)) + " --side " +
                              std::to_string(static_cast<int>(j.where)) + " --threads " +
                              std::to_string(j.threads) + " --size " + std::to_string(j.size);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> output(popen(command.c_str(), "r"), pclose);
  if (!output) throw heist::resource_error("a side can't be started: " + command);
  std::array<char, 512> line{};
  if (std::fgets(line.data(), line.size(), output.get()) == nullptr)
    throw heist::resource_error("a side ended without a result: " + command);
  return from_line(line.data());
}

template <class T>
T median(std::vector<measurement> of, T measurement::*what) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end(),
                   [&](const auto& a, const auto& b) { return a.*what < b.*what; });
  return *middle.*what;
}

void print_machine(const options& o) {
  std::string model = "unknown processor";
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);)
    if (line.starts_with("model name")) model = line.substr(line.find(':') + 2);
  utsname system{};
  uname(&system);
  double load = 0;
  getloadavg(&load, 1);
  std::printf("two libraries at once; %u rounds, the sides in turn; medians\n", o.rounds);
  std::printf("  %s; %u processors; %s %s %s\n", model.c_str(), std::thread::hardware_concurrency(),
              system.sysname, system.release, system.machine);
  std::printf("  compiler %s; load before %.2f; --threads %u --size %u\n\n", __VERSION__, load,
              o.threads, o.size);
}

int compare(const options& o) {
  print_machine(o);
  std::printf("%-22s  %-24s %7s %7s %8s %10s %12s\n", "", "", "time, s", "cpu, s", "threads",
              "voluntary", "involuntary");
  bool are_equal = true;
  for (const pair p : all_pairs) {
    std::vector<measurement> of[std::size(all_sides)];
    for (unsigned round = 0; round < o.rounds; ++round)
      for (const side s : all_sides)
        of[static_cast<std::size_t>(s)].push_back(run_in_a_process({p, s, o.threads, o.size}));
    for (const side s : all_sides) {
      const auto& runs = of[static_cast<std::size_t>(s)];
      std::printf("%-22s  %-24s %7.3f %7.3f %8ld %10ld %12ld\n",
                  s == all_sides[0] ? to_string(p).data() : "", to_string(s).data(),
                  median(runs, &measurement::time_s), median(runs, &measurement::cpu_s),
                  median(runs, &measurement::threads), median(runs, &measurement::voluntary),
                  median(runs, &measurement::involuntary));
      for (const measurement& m : runs) are_equal &= m.checksum == of[0][0].checksum;
    }
  }
  std::printf("\nvoluntary, involuntary: context switches of all threads of the process\n%s\n",
              are_equal ? "every result is the same on all sides" : "the results DIFFER");
  return are_equal ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) try {
  const options o = parse(count, arguments);
  if (o.side_number < 0) return compare(o);
  const auto p = static_cast<pair>(o.pair_number);
  const auto s = static_cast<side>(o.side_number);
  std::printf("%s\n", to_line(run({p, s, o.threads, o.size})).c_str());
  return 0;
} catch (const heist::usage_error& e) {
  std::fprintf(stderr, "heist-two-libraries: %s\n", e.what());
  return 2;
} catch (const std::exception& e) {
  std::fprintf(stderr, "heist-two-libraries: %s\n", e.what());
  return 1;
}
