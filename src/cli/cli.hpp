// The command line as a function, so that tests can call it.
#pragma once

#include <cstdio>

namespace heist::cli {

// The command's exit codes. A signal ends it as a shell tells of it: 128 and the signal's number,
// SIGINT with 130.
enum exit_code : int {
  success = 0,
  environment_refused = 1,  // a file, memory, threads, or the output itself
  wrong_usage = 2,          // arguments, or a HEIST_* variable
  result_differs = 3,       // a parallel result is not the serial one
  reader_gone = 141,        // of a pipe: as a shell tells of a program that SIGPIPE ends
};

// Runs one command, prints to `out`, and whatever goes wrong as one line to `err`. Throws nothing.
// Each result is flushed when it is there. `out` must not raise SIGPIPE: ignore that signal. A
// closed pipe ends the command without a word.
int run_cli(int argc, const char* const* argv, std::FILE* out, std::FILE* err) noexcept;

}  // namespace heist::cli
