// A program of the command heist, as the commands that it has: heist itself, heist-bench and so on
// (registry.hpp). Each command adds its arguments to the program's and says how it is run.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/args/arguments.hpp"
#include "cli/output.hpp"

namespace heist::cli {

// What a command gets that was given.
struct call {
  const std::string& line;  // the command line, for pages that say how they were made
  output& out;
  std::FILE* err;
};

// Reads what was given, and throws usage_error for what can't be done.
template <class Request>
using reader = std::function<Request(const std::string& line)>;

// Reads and runs: returns an exit code, and throws heist's errors.
using action = std::function<int(const call&)>;

struct built_in_command {
  std::string_view name;
  action (*add)(arguments& own);  // `own` is the command's place among the program's arguments
};

using commands = std::span<const built_in_command>;

// Of heist, heist-bench and heist-lab.
[[nodiscard]] commands core_commands();
[[nodiscard]] commands bench_commands();
[[nodiscard]] commands lab_commands();

// An action of what reads a request and what runs it.
template <class Request, class Run>
action read_and(reader<Request> read, Run run) {
  return [read = std::move(read), run](const call& with) { return run(read(with.line), with); };
}

// The arguments of a whole program, whose commands are there by name alone.
[[nodiscard]] std::unique_ptr<arguments> make_root();

}  // namespace heist::cli
