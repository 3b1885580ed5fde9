// The commands of heist, and which program has each. `heist NAME` runs what it has itself, or else
// becomes the program heist-NAME beside it, as git does: so heist is built in a minute, and links
// neither benchmarks nor the lab, oneTBB or MPI.
#pragma once

#include <span>
#include <string_view>

namespace heist::cli {

struct registered_command {
  std::string_view name;
  std::string_view summary;
  std::string_view program;  // which has it: heist, heist-bench ...
};

// In the order of the help.
[[nodiscard]] std::span<const registered_command> registered_commands();

// nullptr: there is no such command.
[[nodiscard]] const registered_command* find_command(std::string_view name);

}  // namespace heist::cli
