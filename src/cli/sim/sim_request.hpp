// The requests of `heist sim`.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cli/program.hpp"
#include "cluster/simulated/simulation.hpp"
#include "lab/catalog/computation.hpp"
#include "report/columns.hpp"

namespace heist::cli {

enum class sim_curve { speedup, space, attempts, wait, communication };
// What the rows are about.
enum class sim_columns_shown { time, communication, quantiles };

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
  sim_columns_shown shown = sim_columns_shown::time;
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

[[nodiscard]] reader<sim_request> add_sim(arguments& own);
int simulate(const sim_request& request, output& out, std::FILE* err);

// What the figures of so many runs are.
[[nodiscard]] inline std::string mean_of(std::uint64_t seeds) {
  return seeds == 1 ? "one seed" : "mean of " + std::to_string(seeds) + " seeds";
}

// "1..1024" (doubling), "1,2,12", or both.
[[nodiscard]] std::vector<std::uint32_t> parse_processors(const std::string& text);

}  // namespace heist::cli
