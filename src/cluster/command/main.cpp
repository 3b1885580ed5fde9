// heist-cluster, which `heist cluster` becomes: a program on all ranks of an MPI job.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "cluster/command/print.hpp"
#include "cluster/command/programs.hpp"
#include "cluster/command/request.hpp"

namespace heist::cluster_command {

namespace {

enum exit_code { success = 0, environment_refused = 1, wrong_usage = 2, wrong_result = 3 };

// Makes one line of any message, as the command heist does.
void complain(std::string message) {
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  std::fputs(("heist: " + message + '\n').c_str(), stderr);
  std::fflush(stderr);
}

// What the launcher says about this process, before MPI is initialised. Null: there is no launcher.
const char* launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const char* const value = std::getenv(name)) return value;
  return nullptr;
}

bool is_first_process() {
  const char* const rank = launched_rank();
  return rank == nullptr || std::string(rank) == "0";
}

void show_progress(const cluster::progress& now) {
  fmt::print(stderr, "\r\033[K{:.0f} s: {} items on rank 0",
             static_cast<double>(now.elapsed_ns) / 1e9, now.items);
  if (now.snapshots != 0) fmt::print(stderr, ", {} snapshots", now.snapshots);
  std::fflush(stderr);
}

struct dispatch {
  cluster::context& in;
  outcome operator()(const uts_request& request) const { return run_uts(in, request); }
  outcome operator()(const nqueens_request& request) const { return run_nqueens(in, request); }
  outcome operator()(const knapsack_request& request) const { return run_knapsack(in, request); }
  outcome operator()(const wordcount_request& request) const { return run_wordcount(in, request); }
};

// Who says what has happened: rank 0, and rank 1 if rank 0 doesn't answer.
bool is_speaker(const cluster::context& in, const cluster::rank_failure& why) {
  return in.rank() == 0 || (in.rank() == 1 && why.rank() == 0 && !in.is_whole());
}

int run(run_request request) {
  const bool has_terminal = isatty(STDERR_FILENO) != 0;
  if (has_terminal) request.how.on_progress = show_progress;
  cluster::context in(request.how);
  try {
    const auto start = std::chrono::steady_clock::now();
    const auto result = std::visit(dispatch{in}, request.program);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (in.rank() != 0) return success;
    if (has_terminal) std::fputs("\r\033[K", stderr);
    request.json ? print_json(in, result, took.count(), stdout)
                 : print_text(in, result, took.count(), stdout);
    if (std::fflush(stdout) != 0) throw resource_error("standard output can't be written");
    if (!result.mistake) return success;
    complain(fmt::format("{}: {}, but {}", result.name, result.text, *result.mistake));
    return wrong_result;
  } catch (const cluster::rank_failure& why) {
    if (is_speaker(in, why)) complain(fmt::format("cluster: {}", why.what()));
  } catch (const usage_error& why) {
    complain(why.what());
    return wrong_usage;
  } catch (const std::exception& why) {
    complain(why.what());
  }
  return environment_refused;
}

// Other ranks may have other arguments, and wait for this one.
int refuse_usage(const std::string& reason) {
  if (launched_rank() == nullptr) {
    complain(reason);
    return wrong_usage;
  }
  cluster::context in;
  if (in.rank() == 0) complain(reason);
  try {
    in.refuse(reason);
  } catch (const cluster::rank_failure&) {
  }
  return wrong_usage;
}

int main_of(int argc, const char* const* argv) try {
  std::variant<text_request, run_request> asked;
  try {
    asked = parse(argc, argv);
  } catch (const usage_error& why) {
    return refuse_usage(why.what());
  }
  if (const auto* const shown = std::get_if<text_request>(&asked)) {
    if (is_first_process()) std::fputs(shown->text.c_str(), stdout);
    return success;
  }
  return run(std::get<run_request>(std::move(asked)));
} catch (const usage_error& why) {
  if (is_first_process()) complain(why.what());
  return wrong_usage;
} catch (const std::exception& why) {
  complain(why.what());
  return environment_refused;
}

}  // namespace

}  // namespace heist::cluster_command

int main(int argc, char** argv) { return heist::cluster_command::main_of(argc, argv); }
