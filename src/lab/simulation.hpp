// A computation and a scheduler, each chosen by a word, put together: what `heist sim` runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/explicit_dag.hpp"
#include "lab/run_result.hpp"
#include "lab/schedulers/settings.hpp"
#include "lab/serial.hpp"
#include "lab/spec.hpp"

namespace heist::lab {

enum class scheduler_kind {
  greedy,
  level_by_level,
  busy_leaves,
  work_stealing,
  child_stealing,
  fifo,
  lifo,
  longest_first,
  shortest_first,
  static_blocks,
  interleaved,
};

struct scheduler_name {
  scheduler_kind kind;
  std::string_view name, summary;
};

[[nodiscard]] const std::vector<scheduler_name>& schedulers();
[[nodiscard]] std::string_view to_string(scheduler_kind kind);

enum class engine_kind {
  best,   // events where the scheduler has them
  step,   // step by step, every steal attempt on its own
  event,  // from event to event; attempts are aggregated where they can be
};

struct run_settings {
  scheduler_kind scheduler = scheduler_kind::work_stealing;
  std::uint32_t processors = 1;
  std::uint64_t seed = 1;
  engine_kind engine = engine_kind::best;
  stealing_settings stealing;  // of the stealing schedulers; its spawn order follows from the kind
  bool check = false;          // run step by step, with every check that holds for the scheduler
};

inline constexpr std::uint32_t max_processors = 1'000'000;

// A computation that can be run again and again.
class computation {
 public:
  virtual ~computation() = default;

  [[nodiscard]] virtual measures measure() = 0;
  // Throws usage_error where the scheduler doesn't take this computation or the engine.
  [[nodiscard]] virtual run_result run(const run_settings& settings) = 0;
  // Where it lies in memory as a whole; otherwise nullptr.
  [[nodiscard]] virtual const explicit_dag* dag() const { return nullptr; }
};

struct computation_name {
  std::string_view name, summary;
  std::vector<argument_spec> arguments;
};

[[nodiscard]] const std::vector<computation_name>& computations();

// Throws usage_error for a word that names none, resource_error for a file that can't be read.
[[nodiscard]] std::unique_ptr<computation> make_computation(std::string_view word);
[[nodiscard]] std::unique_ptr<computation> make_computation(explicit_dag dag);

}  // namespace heist::lab
