// The command line as a function, so that tests can call it.
#pragma once

#include <cstdio>

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

// Runs one command. It prints its results to `out` and any error as one line to `err`, and throws
// nothing. Each result is flushed at once. `out` must not raise SIGPIPE: ignore that signal. A
// closed pipe ends the command without a message.
int run_cli(int argc, const char* const* argv, std::FILE* out, std::FILE* err) noexcept;

}  // namespace heist::cli
