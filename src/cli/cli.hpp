// The command line as a function, so that tests can call it.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/program.hpp"

namespace heist::cli {

// The command's exit codes. After a signal the code is that of a shell: 128 plus the signal's
// number, so 130 for SIGINT.
enum exit_code : int {
  success = 0,
  environment_refused = 1,  // a file, memory, threads, or the output itself
  wrong_usage = 2,          // arguments, or a HEIST_* variable
  result_differs = 3,       // a parallel result is not the serial one
  baseline_missed = 4,      // heist bench --check: a ratio is worse than the baseline's
  interrupted = 130,        // Ctrl-C, after what had finished was written
  reader_gone = 141,        // of a pipe: the code of a program that SIGPIPE ends
};

// Calls `what`, which returns an exit code. It prints to `out`, and any error is one line on `err`;
// nothing is thrown. `out` must not raise SIGPIPE: ignore that signal. A closed pipe ends the
// command without a message.
int run_and_complain(const std::function<int(output&)>& what, std::FILE* out,
                     std::FILE* err) noexcept;

// Runs one command of a program in this way; `words` are what follows "heist" on the command line.
// Each result is flushed at once. A command that another program has is left to that one: this
// process becomes it.
int run_cli(commands which, const std::vector<std::string>& words, std::FILE* out,
            std::FILE* err) noexcept;

// The main function of a program: sees to signals and closed descriptors, and runs the command. The
// name of a program's only command, if it has one, goes without saying: heist-bench idle is heist
// bench idle.
int run_program(commands which, int argc, char** argv, std::string_view only_command = {}) noexcept;

// What run_program has ignored is as it was before: for a program that this process becomes.
void restore_signals();

}  // namespace heist::cli
