// The suites: which programs are compared, at which sizes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heist::bench {

struct suite_program {
  std::string_view name;              // of a workload
  std::vector<std::string> settings;  // "n=30"
  std::vector<std::string> quick;     // for a run that only shows that it works; none: left out
  bool is_fine_grained = false;       // its time is mostly the price of forks
};

struct suite {
  std::string_view name;
  std::string_view summary;
  std::vector<suite_program> programs;
  // Processes that spin beside every run with more than one worker, as other programs do.
  unsigned competitors = 0;
  // More than one worker, where the command line doesn't say how many. 0: one for each processor.
  unsigned workers = 0;
  std::string_view source = {};  // the documents whose measurements it repeats
  // heist without rivals, on 1, 2, 4 ... workers and as many as wanted, and a chart of that.
  bool is_curve = false;
};

// Every suite, in the order in which they are shown.
[[nodiscard]] const std::vector<suite>& suites();
// The suite of that name, or nullptr.
[[nodiscard]] const suite* find_suite(std::string_view name);

}  // namespace heist::bench
