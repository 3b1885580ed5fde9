// heist top: what another process's pools do, as it shows them under HEIST_MONITOR=1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include <heist/stats.hpp>

#include "cli/program.hpp"

namespace heist::cli {

// What was asked for.
struct top_request {
  pid_t pid = 0;  // 0: the only process that shows itself
  bool json = false;
  std::uint64_t count = 0;  // objects of JSON; 0: until the process ends
  double interval = 1;      // seconds
};

[[nodiscard]] reader<top_request> add_top(arguments& own);
int top(const top_request& request, output& out);

enum class seen_state { searches, runs, blocked, asleep };
[[nodiscard]] std::string_view to_string(seen_state s) noexcept;

struct seen_worker {
  unsigned index = 0;
  seen_state state = seen_state::asleep;
  bool is_caller = false;  // a thread from outside works in its place
  std::uint64_t thread = 0;
  std::uint64_t depth = 0;
  counters counts;
};

struct seen_pool {
  std::string name, policies;
  std::uint64_t suspended = 0, injected = 0;
  std::uint64_t stacks_in_use = 0, stacks_peak = 0, stacks_mapped = 0;
  std::uint64_t blocking_calls = 0, blocking_threads = 0;
  std::vector<seen_worker> workers;
};

// One snapshot of a process.
struct seen_process {
  pid_t pid = 0;
  std::string command;
  std::uint64_t taken_ns = 0;
  std::uint64_t left_out = 0;  // workers
  std::vector<seen_pool> pools;
};

// What a worker did since an earlier snapshot, a second; nothing if it wasn't there then.
struct seen_rates {
  double steals = 0, failed_steals = 0, wakes = 0, parks = 0;
};
[[nodiscard]] std::optional<seen_rates> rates_of(const seen_process& now,
                                                 const seen_process* before, std::size_t pool,
                                                 std::size_t worker);

[[nodiscard]] std::string to_json(const seen_process& now, const seen_process* before);

}  // namespace heist::cli
