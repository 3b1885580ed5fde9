// The requests of `heist theory`, one for each subcommand.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lab/experiments/granularity_study.hpp"
#include "lab/experiments/kernel_study.hpp"
#include "lab/experiments/recycling_study.hpp"
#include "report/columns.hpp"

namespace heist::cli {

struct recycling_request {
  lab::recycling_setup setup;
  std::vector<lab::adversary> adversaries;
  report::form form = report::form::text;
  std::string svg, html;  // files; empty: none
  std::string command;    // the command line
};

struct bounds_request {
  std::string dag;
  std::vector<std::uint32_t> processors;
  report::form form = report::form::text;
  std::string html;
  std::string picture, dot, save;  // files for a DAG that lies in memory: SVG, DOT, JSON
  std::string command;
};

// heist theory adversaries.
struct kernel_study_request {
  lab::kernel_study_setup setup;
  std::string dag;
  std::vector<std::uint32_t> processes;
  std::uint32_t given = 0;  // processors that kernels give; 0: half as many as processes
  std::string kernel;       // empty: all kernels
  report::form form = report::form::text;
  std::string svg, html;
  std::string command;
};

struct granularity_request {
  struct choice {
    lab::task_scheduler scheduler;
    lab::hint_kind hint;  // what an order by length knows
  };

  lab::granularity_setup setup;
  std::vector<choice> choices;
  std::vector<std::uint32_t> factors;  // tasks for each processor, ascending
  lab::granularity_curve curve{};      // of the picture
  report::form form = report::form::text;
  std::string svg, html;
  std::string command;
};

using theory_request =
    std::variant<recycling_request, bounds_request, kernel_study_request, granularity_request>;

}  // namespace heist::cli
