// What heist-lab has.
#include <array>
#include <variant>

#include "cli/lab/commands.hpp"
#include "cli/lab/parse_lab.hpp"
#include "cli/lab/parse_sim.hpp"
#include "cli/lab/parse_theory.hpp"
#include "cli/program.hpp"

namespace heist::cli {

namespace {

struct run_lab_request {
  const call& with;

  int operator()(const calibrate_request& r) const { return calibrate(r, with.out, with.err); }
  int operator()(const forecast_request& r) const { return forecast(r, with.out, with.err); }
};

constexpr std::array all = {
    built_in_command{"sim",
                     [](arguments& own) {
                       return read_and(add_sim(own), [](const sim_request& r, const call& with) {
                         return simulate(r, with.out, with.err);
                       });
                     }},
    built_in_command{"theory",
                     [](arguments& own) {
                       return read_and(add_theory(own),
                                       [](const theory_request& r, const call& with) {
                                         return theory(r, with.out, with.err);
                                       });
                     }},
    built_in_command{"lab",
                     [](arguments& own) {
                       return read_and(add_lab(own), [](const lab_request& r, const call& with) {
                         return std::visit(run_lab_request{with}, r);
                       });
                     }},
};

}  // namespace

commands lab_commands() { return all; }

}  // namespace heist::cli
