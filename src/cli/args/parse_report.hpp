// The arguments of `heist report`.
#pragma once

#include "cli/program.hpp"
#include "cli/report.hpp"

namespace heist::cli {

[[nodiscard]] reader<report_request> add_report(arguments& own);

}  // namespace heist::cli
