// heist sim: simulates a computation for each number of processors.
#include "cli/sim/sim.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/cli.hpp"
#include "cli/progress.hpp"
#include "cli/sim/sim_cluster.hpp"
#include "cli/sim/sim_costs.hpp"
#include "cli/sim/sim_kernel.hpp"
#include "cli/sim/sim_page.hpp"
#include "cli/sim/sim_request.hpp"
#include "lab/catalog/computation.hpp"
#include "lab/catalog/schedulers.hpp"
#include "lab/checks/run_checker.hpp"
#include "report/table.hpp"

namespace heist::cli {

namespace {

class step_command {
 public:
  step_command(const step_request& request, output& out, std::FILE* err)
      : request_(request),
        out_(out),
        line_(err),
        computation_(lab::make_computation(request.dag)),
        columns_(sim_columns(request_, measures_)),
        rows_out_(out, request.form, columns_, sim_views(request.shown)) {}

  int operator()() {
    for (const auto& each : request_.scaled) computation_->scale(each.region, each.factor);
    if (has_small_dag()) make_schedule();
    const bool shows_schedule =
        !schedule_.empty() && request_.has_schedule && request_.form == report::form::text;
    line_.show(fmt::format("{}: serial run", request_.dag));
    measures_ = computation_->measure();
    line_.clear();
    shows_schedule ? print_schedule() : print_head();
    for (const auto processors : request_.processors) {
      rows_.push_back(simulate(processors));
      if (!shows_schedule) rows_out_.print(rows_.back());
    }
    if (request_.form == report::form::text) print_end();
    const sim_results results{measures_, columns_, rows_, schedule_, computation_->dag()};
    if (!request_.svg.empty()) write_file(request_.svg, sim_picture(request_, results));
    if (!request_.html.empty()) write_file(request_.html, sim_page(request_, results));
    return success;
  }

 private:
  // Whether the schedule itself is shown: for a small DAG on a few processors.
  [[nodiscard]] bool has_small_dag() const {
    const auto* dag = computation_->dag();
    return dag != nullptr && !dag->has_weights() && dag->node_count() <= 200 &&
           request_.processors.size() == 1 && request_.processors.front() <= 8 &&
           request_.seeds == 1;
  }

  void make_schedule() {
    auto settings = request_.settings;
    settings.processors = request_.processors.front();
    settings.seed = request_.first_seed;
    schedule_ = lab::make_schedule(*computation_->dag(), settings);
  }

  void print_schedule() {
    const auto& dag = *computation_->dag();
    out_.print("{}: T1 {}, Tinf {}, S1 {}; T {}\n{}", schedule_title(request_), dag.work(),
               dag.span(), dag.stack_depth(), schedule_.size(),
               report::to_text(lab::to_table(schedule_, dag)));
    out_.print("{}\n", has_thieves(request_.settings)
                           ? "A deque is shown from its top, where thieves take threads, with the "
                             "instruction that each executes next."
                           : "Threads in the pool are ready, or (stalled).");
    if (!has_thieves(request_.settings)) return;
    const report::table syncs = lab::syncs_of(schedule_, dag);
    if (!syncs.rows.empty()) out_.print("\n{}", report::to_text(syncs));
  }

  sim_row simulate(std::uint32_t processors) {
    auto settings = request_.settings;
    settings.processors = processors;
    const std::uint64_t seeds = has_chance(settings) ? request_.seeds : 1;
    sim_row row;
    row.processors = processors;
    for (std::uint64_t i = 0; i < seeds; ++i) {
      line_.show(fmt::format("{}: P = {}, seed {} of {}", request_.dag, processors, i + 1, seeds));
      settings.seed = request_.first_seed + i;
      row.last = request_.check ? computation_->run_checked(settings, checked_)
                                : computation_->run(settings);
      const auto add = [](report::summary& to, std::uint64_t value) {
        to.add(static_cast<double>(value));
      };
      add(row.steps, row.last.steps);
      add(row.attempts, row.last.attempts);
      add(row.steals, row.last.steals);
      add(row.threads_stolen, row.last.threads_stolen);
      add(row.wait, row.last.wait);
      add(row.idle, row.last.idle);
      add(row.resumed, row.last.resumed);
      add(row.space, row.last.peak_space);
      const std::uint64_t moved = row.last.threads_stolen + row.last.remote;
      add(row.moved, moved);
      add(row.communication, moved * measures_.largest_frame);
      row.sorted_steps.push_back(static_cast<double>(row.last.steps));
      row.sorted_attempts.push_back(static_cast<double>(row.last.attempts));
      row.peak_space = std::max(row.peak_space, row.last.peak_space);
      row.peak_queue = std::max(row.peak_queue, row.last.peak_queue);
    }
    line_.clear();
    std::sort(row.sorted_steps.begin(), row.sorted_steps.end());
    std::sort(row.sorted_attempts.begin(), row.sorted_attempts.end());
    return row;
  }

  void print_head() {
    if (request_.form == report::form::text) print_measures();
    rows_out_.print_head();
  }

  void print_measures() {
    out_.print("{}: T1 {}, Tinf {}, parallelism {:.1f}, S1 {}, nd {}, Smax {}, {} threads\n",
               request_.dag, measures_.work, measures_.span, measures_.parallelism(),
               measures_.stack_depth, measures_.most_joins, measures_.largest_frame,
               measures_.threads);
    out_.print("{}, {}\n", to_string(request_.settings.scheduler),
               !has_chance(request_.settings) ? std::string("no chance in it")
               : has_thieves(request_.settings)
                   ? fmt::format("requests {}, {}", access_text(), mean_of(request_.seeds))
                   : mean_of(request_.seeds));
  }

  [[nodiscard]] std::string_view access_text() const {
    return request_.settings.stealing.access == lab::access_model::queue ? "queue" : "are rejected";
  }

  void print_end() {
    if (request_.shown == sim_columns_shown::communication) {
      const auto communicates = [](const sim_row& row) { return row.processors > 1; };
      if (std::ranges::count_if(rows_, communicates) >= 2)
        out_.print("{}\n", communication_fit_text(measures_, rows_));
    } else if (rows_.size() >= 3) {
      out_.print("{}\n", fit_text(measures_, rows_));
    }
    if (request_.check) print_checks();
  }

  void print_checks() {
    out_.print("checked: {} runs, {} steps", checked_.runs, checked_.steps);
    if (checked_.augmented_span > 0)
      out_.print(
          "; augmented DAG's longest path {} of at most {}; {} rounds of attempts; delay sequences "
          "of {} instructions at most, groups of {} rounds at most",
          checked_.augmented_span, 2 * measures_.span, checked_.rounds, checked_.delay_path,
          checked_.longest_group);
    out_.print("; no violation\n");
  }

  const step_request& request_;
  output& out_;
  progress line_;
  std::unique_ptr<lab::computation> computation_;
  lab::measures measures_;
  report::columns<sim_row> columns_;
  row_output<sim_row> rows_out_;
  lab::check_report checked_;
  std::vector<sim_row> rows_;
  lab::schedule schedule_;  // empty: the DAG is not small
};

}  // namespace

int simulate_steps(const step_request& request, output& out, std::FILE* err) {
  return step_command(request, out, err)();
}

int simulate(const sim_request& any, output& out, std::FILE* err) {
  return std::visit(
      [&](const auto& request) -> int {
        require_writable({request.svg, request.html});
        try {
          using kind = std::decay_t<decltype(request)>;
          if constexpr (std::is_same_v<kind, kernel_request>)
            return simulate_under_kernel(request, out, err);
          else if constexpr (std::is_same_v<kind, timed_request>)
            return simulate_with_costs(request, out, err);
          else if constexpr (std::is_same_v<kind, sim_cluster_request>)
            return simulate_cluster(request, out, err);
          else
            return simulate_steps(request, out, err);
        } catch (const lab::check_error& violation) {
          out.flush();
          fmt::print(err, "heist: {}: {}\n", request.dag, violation.what());
          return result_differs;
        }
      },
      any);
}

}  // namespace heist::cli
