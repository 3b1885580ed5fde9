// What heist has itself.
#include <array>

#include "cli/about/about.hpp"
#include "cli/report/report.hpp"
#include "cli/run/run.hpp"
#include "cli/top/top.hpp"

namespace heist::cli {

namespace {

constexpr std::array all = {
    built_in_command{"run", add_command<add_run, run>},
    built_in_command{"report", add_command<add_report, report_trace>},
    built_in_command{"top", add_command<add_top, top>},
    built_in_command{"list", add_list},
    built_in_command{"presets", add_presets},
    built_in_command{"explain", add_explain},
    built_in_command{"info", add_info},
};

}  // namespace

commands core_commands() { return all; }

}  // namespace heist::cli
