// The requests of `heist theory`, one for each subcommand, and what their tables share.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cli/program.hpp"
#include "lab/dag/explicit_dag.hpp"
#include "lab/experiments/granularity_study.hpp"
#include "lab/experiments/kernel_study.hpp"
#include "lab/experiments/recycling_game.hpp"
#include "report/columns.hpp"

namespace heist::cli {

// The tables of `heist theory`: CSV and pages round as a terminal does, and JSON has spaces.
inline constexpr report::table_style theory_style = {.gap = 2,
                                                     .least_width = 9,
                                                     .cells = report::table_style::as_in_text,
                                                     .json = report::json_style::spaced};

// The part of a request that all subcommands share.
struct theory_task {
  report::form form = report::form::text;
  std::string svg, html;  // files; empty: none
  std::string command;    // the command line
};

struct recycling_request : theory_task {
  lab::recycling_setup setup;
  std::vector<lab::adversary> adversaries;
};

// Its picture is of a DAG that lies in memory.
struct bounds_request : theory_task {
  std::string dag;
  std::vector<std::uint32_t> processors;
  std::string dot, save;                            // files for such a DAG
  lab::strictness made = lab::strictness::general;  // what it is made first
  bool tries_schedules = false;                     // all greedy ones, of a small DAG
};

// heist theory adversaries.
struct kernel_study_request : theory_task {
  lab::kernel_study_setup setup;
  std::string dag;
  std::vector<std::uint32_t> processes;
  std::uint32_t given = 0;  // processors that kernels give; 0: half as many as processes
  std::string kernel;       // empty: all kernels
};

enum class granularity_curve { time, balance, overhead, tail };

struct granularity_request : theory_task {
  struct choice {
    lab::task_scheduler scheduler;
    lab::hint_kind hint;  // what an order by length knows
  };

  lab::granularity_setup setup;
  std::vector<choice> choices;
  std::vector<std::uint32_t> factors;  // tasks for each processor, ascending
  granularity_curve curve{};           // of the picture
};

using theory_request =
    std::variant<recycling_request, bounds_request, kernel_study_request, granularity_request>;

[[nodiscard]] reader<theory_request> add_theory(arguments& own);
int theory(const theory_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
