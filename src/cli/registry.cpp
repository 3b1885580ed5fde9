#include "cli/registry.hpp"

#include <algorithm>
#include <array>

namespace heist::cli {

namespace {

constexpr std::array commands = {
    registered_command{"run", "runs workloads, checks and times them", "heist"},
    registered_command{"bench", "measures heist, beside rivals and its own promises",
                       "heist-bench"},
    registered_command{"sim", "simulates a scheduler on a machine of any size", "heist-lab"},
    registered_command{"theory", "the theorems' bounds and games, computed", "heist-lab"},
    registered_command{"lab", "measures the runtime's costs, and forecasts with them", "heist-lab"},
    registered_command{"report", "what a recorded run says: who worked, and why not", "heist"},
    registered_command{"top", "what a program's workers do, as it runs", "heist"},
    registered_command{"list", "the workloads, and what each is there for", "heist"},
    registered_command{"presets", "the schedulers of the literature, for run --preset", "heist"},
    registered_command{"explain",
                       "what a counter, an idle reason or a finding means, and what to do about it",
                       "heist"},
    registered_command{"info", "what the runtime makes of this machine", "heist"},
    registered_command{"cluster",
                       "a program on many machines, over MPI: mpirun -n 4 heist cluster uts",
                       "heist-cluster"},
    registered_command{"check",
                       "a program that uses heist, with what it must not do: check PROGRAM",
                       "heist-check"},
    registered_command{"race",
                       "every race of a program, whatever the schedule: race -- g++ prog.cpp",
                       "heist-race"},
    registered_command{"tbb",
                       "a program that was linked with oneTBB, on heist's workers: "
                       "tbb PROGRAM",
                       "heist-tbb"},
    registered_command{"help", "this text, or that of a command: help run fib", "heist"},
};

}  // namespace

std::span<const registered_command> registered_commands() { return commands; }

const registered_command* find_command(std::string_view name) {
  const auto* const found =
      std::find_if(commands.begin(), commands.end(),
                   [&](const registered_command& each) { return each.name == name; });
  return found == commands.end() ? nullptr : found;
}

}  // namespace heist::cli
