// A computation that was chosen by a word, and may be run with any scheduler: what `heist sim`
// runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/catalog/spec.hpp"
#include "lab/checks/check_report.hpp"
#include "lab/checks/schedule.hpp"
#include "lab/dag/explicit_dag.hpp"
#include "lab/engines/kernel_run.hpp"
#include "lab/engines/run_settings.hpp"
#include "lab/engines/timed_run.hpp"
#include "lab/model/run_result.hpp"
#include "lab/model/serial.hpp"

namespace heist::lab {

// A computation that can be run again and again.
class computation {
 public:
  virtual ~computation() = default;

  [[nodiscard]] virtual measures measure() = 0;
  // Throws usage_error where the scheduler doesn't take this computation or the engine.
  [[nodiscard]] virtual run_result run(const run_settings& settings) = 0;
  // Runs step by step, with every check that applies to the scheduler (run_checker.hpp). The result
  // is the step engine's. Throws check_error, and usage_error for a computation that is too large.
  [[nodiscard]] virtual run_result run_checked(const run_settings& settings,
                                               check_report& report) = 0;
  // Throws usage_error for an unknown kernel, and for one that stops giving processors.
  [[nodiscard]] virtual kernel_result run_under_kernel(const kernel_settings& settings) = 0;
  // Work stealing where each operation takes its time on some machine. Throws usage_error for more
  // processors
  // than max_timed_processors.
  [[nodiscard]] virtual timed_result run_timed(const timed_settings& settings) = 0;
  // The computation's DAG if it lies in memory, otherwise nullptr.
  [[nodiscard]] virtual const explicit_dag* dag() const { return nullptr; }
  // explicit_dag::scale(). Throws usage_error where it has no regions.
  virtual void scale(std::string_view region, double factor);
};

struct computation_name {
  std::string_view name, summary;
  std::vector<argument_spec> arguments;
};

[[nodiscard]] const std::vector<computation_name>& computations();

// Throws usage_error for a word that names none, resource_error for a file that can't be read.
[[nodiscard]] std::unique_ptr<computation> make_computation(std::string_view word);
[[nodiscard]] std::unique_ptr<computation> make_computation(explicit_dag dag);

// Runs the DAG step by step and writes the schedule down.
[[nodiscard]] schedule make_schedule(const explicit_dag& dag, const run_settings& settings);

}  // namespace heist::lab
