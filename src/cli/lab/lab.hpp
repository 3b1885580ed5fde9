// The requests of `heist lab`, one for each subcommand.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cli/program.hpp"
#include "report/columns.hpp"

namespace heist::calibration {
struct lab_program;
}

namespace heist::cli {

struct calibrate_request {
  unsigned workers = 0;  // 0: as many as a pool has by default
  unsigned repeat = 5;   // rounds
  bool quick = false;
  bool json = false;  // in place of the table
  std::string file;   // for the JSON; empty: none
};

struct forecast_request {
  std::string costs;  // a file; empty: the costs are measured first
  std::vector<const calibration::lab_program*> programs;
  std::vector<std::uint32_t> processors;
  unsigned repeat = 11;     // rounds of real runs
  std::uint64_t seeds = 3;  // simulated runs
  bool quick = false;
  report::form form = report::form::text;
};

using lab_request = std::variant<calibrate_request, forecast_request>;

[[nodiscard]] reader<lab_request> add_lab(arguments& own);
int run_lab(const calibrate_request& request, output& out, std::FILE* err);
int run_lab(const forecast_request& request, output& out, std::FILE* err);
inline int lab(const lab_request& request, output& out, std::FILE* err) {
  return std::visit([&](const auto& r) { return run_lab(r, out, err); }, request);
}

}  // namespace heist::cli
