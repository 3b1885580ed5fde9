// A program of the command heist, as the commands that it has: heist itself, heist-bench and so on
// (registry.hpp). Each command adds its arguments to the program's and says how it is run.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

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

// Adds a command of what reads its request, Add(own), and what runs it, Run(request, out, err) or
// Run(request, out).
template <auto Add, auto Run>
action add_command(arguments& own) {
  return [read = Add(own)](const call& with) {
    const auto request = read(with.line);
    if constexpr (std::is_invocable_v<decltype(Run), decltype(request), output&, std::FILE*>)
      return Run(request, with.out, with.err);
    else
      return Run(request, with.out);
  };
}

// The arguments of a whole program, whose commands are there by name alone.
[[nodiscard]] std::unique_ptr<arguments> make_root();

}  // namespace heist::cli
