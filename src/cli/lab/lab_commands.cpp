// What heist-lab has.
#include <array>

#include "cli/lab/lab.hpp"
#include "cli/sim/sim_request.hpp"
#include "cli/theory/theory.hpp"

namespace heist::cli {

namespace {

constexpr std::array all = {
    built_in_command{"sim", add_command<add_sim, simulate>},
    built_in_command{"theory", add_command<add_theory, theory>},
    built_in_command{"lab", add_command<add_lab, lab>},
};

}  // namespace

commands lab_commands() { return all; }

}  // namespace heist::cli
