// The command line as a function, so that tests can call it.
#pragma once

#include <cstdio>

namespace heist::cli {

// The command's exit codes. Interrupted by SIGINT, it ends with 130.
enum exit_code : int {
  success = 0,
  environment_refused = 1,  // a file, memory, threads, or the output itself
  wrong_usage = 2,          // arguments, or a HEIST_* variable
  result_differs = 3,       // a parallel result is not the serial one
};

// Runs one command, prints to `out`, and whatever goes wrong as one line to `err`. Throws nothing.
// Each result is flushed when it is there. `out` must not raise SIGPIPE: ignore that signal, and a
// closed pipe is an error like any other.
int run_cli(int argc, const char* const* argv, std::FILE* out, std::FILE* err) noexcept;

}  // namespace heist::cli
