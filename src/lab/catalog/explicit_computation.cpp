// DAGs that lie in memory, as computations.
#include <utility>

#include "lab/catalog/computation.hpp"
#include "lab/catalog/run.hpp"
#include "lab/checks/run_checker.hpp"
#include "lab/dag/explicit_threads.hpp"

namespace heist::lab {

namespace {

void check_settings(const run_settings& settings, const explicit_dag& dag) {
  check_settings(settings, true);
  if (settings.scheduler == scheduler_kind::busy_leaves && dag.kind() == strictness::general)
    throw usage_error("busy-leaves needs a strict computation: " + dag.why_not_strict());
}

class whole_dag : public computation {
 public:
  explicit whole_dag(explicit_dag dag) : dag_(std::move(dag)), threads_(dag_) {}

  measures measure() override {
    return {.work = dag_.work(),
            .span = dag_.span(),
            .stack_depth = dag_.stack_depth(),
            .most_joins = dag_.most_joins(),
            .largest_frame = dag_.largest_frame(),
            .threads = dag_.thread_count(),
            .instructions = dag_.node_count()};
  }

  run_result run(const run_settings& settings) override {
    check_settings(settings, dag_);
    no_observer nobody;
    return run_on(threads_, settings, nobody);
  }

  run_result run_checked(const run_settings& settings, check_report& report) override {
    check_settings(settings, dag_);
    if (dag_.has_weights())
      throw usage_error("the checks are for DAGs whose instructions all take one unit");
    run_checker checker(dag_, settings);
    const auto result = run_on(threads_, settings, checker);
    checker.finish(result);
    report.add(checker.report());
    return result;
  }

  kernel_result run_under_kernel(const kernel_settings& settings) override {
    if (dag_.has_weights())
      throw usage_error("a kernel runs DAGs whose instructions all take one unit");
    return run_under(threads_, settings, dag_.span());
  }

  timed_result run_timed(const timed_settings& settings) override {
    check_settings(settings);
    return timed_engine(threads_, settings)();
  }

  const explicit_dag* dag() const override { return &dag_; }
  void scale(std::string_view region, double factor) override { dag_.scale(region, factor); }

 private:
  explicit_dag dag_;
  explicit_threads threads_;
};

}  // namespace

std::unique_ptr<computation> make_computation(explicit_dag dag) {
  return std::make_unique<whole_dag>(std::move(dag));
}

schedule make_schedule(const explicit_dag& dag, const run_settings& settings) {
  check_settings(settings, dag);
  schedule steps;
  schedule_recorder recorder(steps);
  explicit_threads threads(dag);
  (void)run_on(threads, settings, recorder);
  return steps;
}

}  // namespace heist::lab
