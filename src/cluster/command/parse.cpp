#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <heist/config.hpp>
#include <heist/error.hpp>
#include <heist/version.hpp>

#include "cluster/command/request.hpp"

namespace heist::cluster_command {

namespace {

constexpr const char* footer =
    "Under an MPI's launcher: mpirun -n 4 heist cluster uts --tree T1L, or srun. Alone it is one\n"
    "rank. Rank 0 prints the result and what each rank did.\n"
    "Exit codes: 0; 1 a rank failed, or the environment refused something; 2 usage; 3 the result\n"
    "differs from what is known.";

struct common_options {
  unsigned workers = 0;
  std::string checkpoint;
  double interval_s = 30, silence_s = 10;
  bool resume = false, json = false;

  void add_to(CLI::App& app) {
    app.add_option("--workers", workers,
                   "of each rank; default: its share of the host's processors");
    app.add_option("--checkpoint", checkpoint, "a folder for the journal of the run");
    app.add_option("--interval", interval_s, "seconds between two snapshots for the journal")
        ->capture_default_str();
    app.add_flag("--resume", resume, "go on from the journal, on any number of ranks");
    app.add_option("--silence", silence_s, "seconds after which a rank counts as dead; 0: never")
        ->capture_default_str();
    app.add_flag("--json", json, "the result and the ranks as one object");
  }

  [[nodiscard]] cluster::settings to_settings() const {
    const auto time = [](const char* name, double seconds, double least) {
      if (!(seconds >= least && seconds <= 1e6))
        throw usage_error(fmt::format("{} must be from {} to 1000000 seconds", name, least));
      return std::chrono::nanoseconds(std::llround(seconds * 1e9));
    };
    if (resume && checkpoint.empty()) throw usage_error("--resume needs --checkpoint DIR");
    if (workers > pool_config::max_workers)
      throw usage_error(fmt::format("--workers: at most {}", pool_config::max_workers));
    cluster::settings how;
    how.workers = workers;
    how.checkpoint = checkpoint;
    how.resume = resume;
    how.interval = time("--interval", interval_s, 0.001);
    how.silence = time("--silence", silence_s, 0);
    how.heartbeat = std::min<std::chrono::nanoseconds>(how.silence / 10, std::chrono::seconds(1));
    return how;
  }
};

const workloads::sample_tree& tree_named(const std::string& name) {
  const auto& all = workloads::sample_trees();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& each) { return each.parameters.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const auto& each : all) names += fmt::format(" {}", each.parameters.name);
  throw usage_error(fmt::format("no tree '{}'; there are{}", name, names));
}

// The programs and their options.
class programs {
 public:
  explicit programs(CLI::App& app)
      : uts_(app.add_subcommand("uts", "counts the nodes of an unbalanced tree")),
        nqueens_(app.add_subcommand("nqueens", "counts the boards of n queens")),
        knapsack_(app.add_subcommand("knapsack", "fills a knapsack by branch and bound")),
        wordcount_(app.add_subcommand("wordcount", "counts the words of text files")) {
    uts_->add_option("--tree", tree_, "which sample tree")->capture_default_str();
    nqueens_->add_option("--n", queens_.queens, "queens, from 1 to 20")->capture_default_str();
    knapsack_->add_option("--items", knapsack_request_.items, "to choose from, at most 64")
        ->capture_default_str();
    knapsack_
        ->add_option("--spread", knapsack_request_.spread,
                     "of the items' worth, up to 1000: less makes a larger tree")
        ->capture_default_str();
    knapsack_->add_option("--seed", knapsack_request_.seed, "of the items")->capture_default_str();
    wordcount_->add_option("FILE", words_.files, "readable on every rank")->required();
    wordcount_->add_option("--top", words_.top, "how many of the most frequent words to show")
        ->capture_default_str();
  }

  [[nodiscard]] decltype(run_request::program) chosen() const {
    if (uts_->parsed()) return uts_request{&tree_named(tree_)};
    if (nqueens_->parsed()) {
      require_range("--n", queens_.queens, 1, 20);
      return queens_;
    }
    if (wordcount_->parsed()) return words_;
    require_range("--items", knapsack_request_.items, 1, 64);
    require_range("--spread", static_cast<std::uint64_t>(knapsack_request_.spread), 1, 1000);
    return knapsack_request_;
  }

 private:
  static void require_range(const char* name, std::uint64_t value, std::uint64_t least,
                            std::uint64_t most) {
    if (value < least || value > most)
      throw usage_error(fmt::format("{} must be from {} to {}", name, least, most));
  }

  CLI::App *uts_, *nqueens_, *knapsack_, *wordcount_;
  std::string tree_ = "T3";
  nqueens_request queens_;
  knapsack_request knapsack_request_;
  wordcount_request words_;
};

}  // namespace

std::variant<text_request, run_request> parse(int argc, const char* const* argv) {
  CLI::App app("heist cluster runs a program on many machines, over MPI.", "heist cluster");
  app.footer(footer);
  app.set_version_flag("--version", "heist " HEIST_VERSION_STRING);
  app.require_subcommand(1);
  app.fallthrough();
  common_options common;
  common.add_to(app);

  const programs all(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return text_request{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return text_request{std::string(version.what()) + '\n'};
  } catch (const CLI::Error& error) {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    throw usage_error(text + ": see heist cluster --help");
  }
  run_request result;
  result.how = common.to_settings();
  result.json = common.json;
  result.program = all.chosen();
  return result;
}

}  // namespace heist::cluster_command
