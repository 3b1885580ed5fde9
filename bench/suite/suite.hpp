// Runs a suite: each program on each side, in turns, in processes of their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/benchmark.hpp"
#include "bench/suite/suites.hpp"

namespace heist::bench {

struct suite_settings {
  std::vector<unsigned> workers;  // each P in turn
  unsigned rounds = 5;
  bool is_quick = false;
  std::vector<std::string> presets = {"heist"};  // the sides that are heist
  std::string heist;                             // the file of the command heist itself
  std::string rivals_folder;                     // where the files heist-rival-NAME lie
  std::function<void(const std::string&)> announce = [](const std::string&) {};
  // Gets the rows of a program when it has finished.
  std::function<void(const std::vector<row>&)> finished = [](const std::vector<row>&) {};
  std::function<bool()> interrupted = [] { return false; };
};

// The rivals that are known, whether they are built or not: their names in heist-rival-NAME.
[[nodiscard]] const std::vector<std::string_view>& rival_names();

// Runs the suite. When `interrupted` answers true, the results are those of the programs that have
// finished. Throws wrong_result if a side computes something
// else than the serial program, resource_error if a process can't be started.
[[nodiscard]] results run_suite(const suite& which, const suite_settings& with);

}  // namespace heist::bench
