// The interface of a benchmark, for the command and the tests, which run any of them.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <heist/pool.hpp>

#include "report/results.hpp"
#include "workloads/options.hpp"

namespace heist::bench {

using report::bound;
using report::measure;
using report::results;
using report::row;
using report::samples;
using report::target;

// The scale of a run: large enough for figures, or just large enough to see that everything works.
enum class scale { full, quick };

struct settings {
  unsigned workers = 0;  // P; 0: the default, or as the benchmark requires
  unsigned repeat = 5;   // rounds
  std::function<void(const std::string&)> announce = [](const std::string&) {};
};

// A contestant's result differs from the serial one, so its times are meaningless.
class wrong_result : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct benchmark {
  std::string_view name;
  std::string_view summary;

  // The options with the defaults for that scale.
  std::vector<workloads::option_spec> (*options)(scale);

  // Throws wrong_result, usage_error for options that contradict each other, resource_error.
  results (*run)(const workloads::option_values& values, const settings& with);
};

// Every benchmark, in the order in which they are shown.
[[nodiscard]] const std::vector<benchmark>& all();

// One function for each folder, or for each file of documents/, which repeats tables and figures of
// the documents that heist builds on.
[[nodiscard]] benchmark fork_join_benchmark();
[[nodiscard]] benchmark multiprogrammed_benchmark();
[[nodiscard]] benchmark abp_benchmark();
[[nodiscard]] benchmark locks_benchmark();
[[nodiscard]] benchmark long_leaf_benchmark();
[[nodiscard]] benchmark idle_benchmark();
[[nodiscard]] benchmark wake_benchmark();
[[nodiscard]] benchmark entry_benchmark();
[[nodiscard]] benchmark callers_benchmark();
[[nodiscard]] benchmark priorities_benchmark();
[[nodiscard]] benchmark latency_benchmark();
[[nodiscard]] benchmark memory_benchmark();
[[nodiscard]] benchmark space_benchmark();
[[nodiscard]] benchmark deque_benchmark();
[[nodiscard]] benchmark api_benchmark();
[[nodiscard]] benchmark scope_benchmark();
[[nodiscard]] benchmark chunks_benchmark();
[[nodiscard]] benchmark small_loops_benchmark();
[[nodiscard]] benchmark select_benchmark();
[[nodiscard]] benchmark flat_loops_benchmark();
[[nodiscard]] benchmark pipeline_benchmark();
[[nodiscard]] benchmark waits_benchmark();
[[nodiscard]] benchmark placement_benchmark();
[[nodiscard]] benchmark presets_benchmark();
[[nodiscard]] benchmark observe_benchmark();
[[nodiscard]] benchmark race_benchmark();
[[nodiscard]] benchmark sort_benchmark();
[[nodiscard]] benchmark tree_benchmark();
[[nodiscard]] benchmark jobs_benchmark();
[[nodiscard]] benchmark granularity_benchmark();
[[nodiscard]] benchmark distribution_benchmark();
[[nodiscard]] benchmark assignment_benchmark();
[[nodiscard]] benchmark long_tasks_first_benchmark();

// One function for each file of documents/, which repeat figures of the source documents.
[[nodiscard]] benchmark steals_benchmark();
[[nodiscard]] benchmark steal_size_benchmark();
[[nodiscard]] benchmark deque_sizes_benchmark();
[[nodiscard]] benchmark spawns_benchmark();
[[nodiscard]] benchmark stolen_work_benchmark();
[[nodiscard]] benchmark spawn_order_benchmark();
[[nodiscard]] benchmark joins_benchmark();

}  // namespace heist::bench
