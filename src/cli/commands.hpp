// What a command is asked to do, and the commands: one file each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include <heist/config.hpp>

#include "bench/benchmark.hpp"
#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "cli/theory.hpp"
#include "lab/catalog/computation.hpp"
#include "report/columns.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

// A text to print: help, the version.
struct text_request {
  std::string text;
};

struct list_request {
  bool json = false;
};

struct info_request {
  bool json = false;
};

struct chosen_workload {
  const workloads::workload* workload;
  workloads::option_values values;
};

struct run_request {
  std::vector<chosen_workload> chosen;
  bool all = false;  // a table, however many there are
  pool_config pool;  // of the P workers
  unsigned repeat = 3;
  bool json = false;
};

struct bench_list_request {
  bool json = false;
};

struct bench_request {
  const bench::benchmark* benchmark = nullptr;
  workloads::option_values values;
  bench::settings settings;
  bool quick = false;
  bool json = false;
};

enum class sim_curve { speedup, space, attempts, wait };

// What every kind of simulation is asked.
struct sim_task {
  std::string dag;
  std::vector<std::uint32_t> processors;  // under a kernel: processes
  std::uint64_t seeds = 1;
  std::uint64_t first_seed = 1;
  report::form form = report::form::text;
  std::string svg, html;  // files; empty: none
  std::string command;    // the command line
};

// In steps, by any of the schedulers.
struct step_request : sim_task {
  lab::run_settings settings;  // but for the processors and the seed, which vary
  bool check = false;
  bool has_schedule = true;  // of a small DAG on a few processors: instead of table and chart
  sim_curve curve = sim_curve::speedup;  // of the picture
};

// Work stealing where everything takes its time.
struct timed_request : sim_task {
  std::string costs;          // a file
  double instruction_ns = 0;  // of a unit of work; 0: what the file says
};

// On processors that a kernel gives and takes away.
struct kernel_request : sim_task {
  lab::kernel_settings settings;  // but for the processes and the seed, which vary
  bool check = false;
};

using sim_request = std::variant<step_request, timed_request, kernel_request>;

using any_request =
    std::variant<text_request, list_request, info_request, run_request, bench_list_request,
                 bench_request, sim_request, theory_request, lab_request>;

// Each returns an exit code, and throws heist's errors.
int list(const list_request& request, output& out);
int info(const info_request& request, output& out);
int run(const run_request& request, output& out, std::FILE* err);
int bench_list(const bench_list_request& request, output& out);
int simulate(const sim_request& request, output& out, std::FILE* err);
int theory(const theory_request& request, output& out, std::FILE* err);
int calibrate(const calibrate_request& request, output& out, std::FILE* err);
int forecast(const forecast_request& request, output& out, std::FILE* err);
int run_bench(const bench_request& request, output& out, std::FILE* err);

}  // namespace heist::cli
