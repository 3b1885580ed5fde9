// The requests that commands get, and the commands, which have a file each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <heist/config.hpp>

#include "bench/benchmark.hpp"
#include "bench/suite/suite.hpp"
#include "cli/deque_series.hpp"
#include "cli/lab.hpp"
#include "cli/output.hpp"
#include "cli/report.hpp"
#include "cli/theory.hpp"
#include "cli/top.hpp"
#include "cluster/simulated/simulation.hpp"
#include "lab/catalog/computation.hpp"
#include "report/columns.hpp"
#include "workloads/workload.hpp"

namespace heist::cli {

// Asks for a text to be printed: help, or the version.
struct text_request {
  std::string text;
};

// heist-cluster's arguments: it is a program of its own, since it needs MPI.
struct cluster_request {
  std::vector<std::string> arguments;
};

// A program for oneTBB, with its arguments.
struct tbb_request {
  std::vector<std::string> program;
  std::string workers;  // empty: as it is
  bool stats = false;
};

struct list_request {
  bool json = false;
};

struct presets_request {
  bool json = false;
};

// What a counter or the like means.
struct explain_request {
  std::string name;  // empty: all of them, a line each
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
  bool all = false;  // prints a table, even of one workload
  pool_config pool;  // of the P workers
  std::string preset;
  workloads::execution how;
  bool stats = false;  // prints what the workers counted
  unsigned repeat = 3;
  bool json = false;
  bool profile = false;  // one more run, for its work and span
  std::string costs;     // of the profile: a file; empty: the defaults
  std::string dag;       // a file for the profile's DAG; empty: none
  std::optional<series_request> deque_series;
  std::string command;  // the command line
};

struct bench_list_request {
  bool json = false;
};

// How the results of a benchmark are printed.
struct bench_output {
  report::form form = report::form::text;
  std::string html, markdown;  // files; empty: none
  std::string command;         // the command line
};

struct bench_request {
  const bench::benchmark* benchmark = nullptr;
  workloads::option_values values;
  bench::settings settings;
  bool quick = false;
  bench_output printed;
};

// Whole programs on heist, its presets and the rivals.
struct bench_suite_request {
  const bench::suite* suite = nullptr;
  bench::suite_settings settings;
  bench_output printed;
  std::string baseline;  // a file of results to hold these against; empty: none
  double tolerance = 0;  // a ratio may be that many times the baseline's
};

// The process that is one side of a suite.
struct side_request {
  std::string program;
  unsigned workers = 1;
  std::string preset;  // or "serial"
  std::vector<std::string> settings;
};

// Results that were written before.
struct bench_show_request {
  std::string file;
  bench_output printed;
};

enum class sim_curve { speedup, space, attempts, wait };

// The part of a request that all kinds of simulation share.
struct sim_task {
  std::string dag;
  std::vector<std::uint32_t> processors;  // under a kernel: processes
  std::uint64_t seeds = 1;
  std::uint64_t first_seed = 1;
  struct scaling {
    std::string region;
    double factor;
  };
  std::vector<scaling> scaled;  // of a DAG with regions
  report::form form = report::form::text;
  std::string svg, html;  // files; empty: none
  std::string command;    // the command line
};

// A simulation in steps, with any scheduler.
struct step_request : sim_task {
  lab::run_settings settings;  // without the processors and the seed, which vary
  bool check = false;
  bool has_schedule = true;  // shows the schedule of a small DAG in place of table and chart
  sim_curve curve = sim_curve::speedup;  // of the picture
};

// A simulation of work stealing with the runtime's costs, in seconds.
struct timed_request : sim_task {
  std::string costs;          // a file
  double instruction_ns = 0;  // of a unit of work; 0 takes the file's
};

// A simulation on processors that a kernel gives and takes away.
struct kernel_request : sim_task {
  lab::kernel_settings settings;  // without the processes and the seed, which vary
  bool check = false;
};

// How the ranks of a simulated cluster look for work.
enum class cluster_stealing { lifelines, distance, random };

// A simulation of the protocol between the nodes of a cluster. The processors are the ranks.
struct sim_cluster_request : sim_task {
  // Without the ranks, the seed, the time of an item and whom thieves ask, which vary.
  cluster::simulated::simulation_settings settings;
  bool has_chunk = false;  // the settings' chunk was given
  std::vector<double> item_ns = {1000};
  std::vector<cluster_stealing> stealing = {cluster_stealing::lifelines};
};

using sim_request = std::variant<step_request, timed_request, kernel_request, sim_cluster_request>;

using any_request =
    std::variant<text_request, cluster_request, tbb_request, list_request, presets_request,
                 explain_request, info_request, run_request, bench_list_request, bench_request,
                 bench_show_request, bench_suite_request, side_request, sim_request, theory_request,
                 lab_request, report_request, top_request>;

// Each returns an exit code, and throws heist's errors.
[[noreturn]] void become_cluster_command(const cluster_request& request);
[[noreturn]] void become_tbb_program(const tbb_request& request);
int list(const list_request& request, output& out);
int list_presets(const presets_request& request, output& out);
int explain(const explain_request& request, output& out);
int info(const info_request& request, output& out);
int run(const run_request& request, output& out, std::FILE* err);
int bench_list(const bench_list_request& request, output& out);
int simulate(const sim_request& request, output& out, std::FILE* err);
int theory(const theory_request& request, output& out, std::FILE* err);
int calibrate(const calibrate_request& request, output& out, std::FILE* err);
int report_trace(const report_request& request, output& out);
int top(const top_request& request, output& out);
int forecast(const forecast_request& request, output& out, std::FILE* err);
int run_bench(const bench_request& request, output& out, std::FILE* err);
int run_bench_suite(const bench_suite_request& request, output& out, std::FILE* err);
int serve_side(const side_request& request, std::FILE* in, std::FILE* out);
int bench_show(const bench_show_request& request, output& out);

}  // namespace heist::cli
