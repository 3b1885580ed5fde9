// The machine and the compiler with which the figures were made; without them a figure says little.
#pragma once

#include <string>

namespace heist::bench {

struct machine {
  std::string cpu;     // the model's name
  int processors;      // usable by this process
  double quota;        // of processors, by the cgroup; 0: none
  std::string kernel;  // name and release
  std::string compiler;
  std::string flags;  // of optimisation, in this build
  bool is_optimised;  // a figure of a debug or sanitizer build is about that build only
  double load;        // the system's average over the last minute, before the run
};

[[nodiscard]] machine this_machine();

}  // namespace heist::bench
