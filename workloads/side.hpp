// One side of a comparison: a process that runs one program whenever it is told to. Each library,
// and each preset of heist, is measured in a process of its own, so that no library's idle threads
// disturb another's turn, and memory is that of one side alone.
//
// The process says "ready", then reads a command a line and answers each with a line:
//
//   serial   runs the serial program      time SECONDS CHECKSUM
//   run      runs the parallel program    time SECONDS CHECKSUM
//   result   what the last run computed   result TEXT
//   steals   so far; 0 if nobody counts   steals NUMBER
//   peak     resident memory at most      peak BYTES
//
// A run whose result is wrong in itself answers "wrong TEXT", whatever fails "refused TEXT". The
// end of the input ends the process.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/workload.hpp"

namespace heist::workloads {

struct side {
  instance& program;
  std::function<void()> run;                                               // the parallel program
  std::function<std::uint64_t()> steals = [] { return std::uint64_t{}; };  // so far
};

// Answers commands until the input ends. Throws closed_pipe when nobody reads the answers.
void serve(const side& which, std::FILE* in, std::FILE* out);

// Makes the program of that name from settings such as "n=20". Throws usage_error for an unknown
// program or setting, and what making it throws.
[[nodiscard]] std::unique_ptr<instance> make_side_program(std::string_view name,
                                                          const std::vector<std::string>& settings);

}  // namespace heist::workloads
