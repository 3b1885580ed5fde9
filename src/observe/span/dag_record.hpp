// The forks of a measured run as a DAG with weights, for the simulator (src/lab/dag).
//
// A dag_thread is what one flow of control did, step by step: it worked, spawned another thread,
// waited for one. Of fork_join(f, g), f is a thread of its own, and g goes on in the one that
// forked. What takes little is collapsed when it has been joined: its work remains, its forks
// don't. So the DAG has about as many nodes as the run has time for, however fine it forks.
//
// Who writes what. A thread belongs to the flow that it records; when that has ended, to the one
// that joins it. It is owned by the step that spawned it, or by the fork or root that isn't joined
// yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "observe/span/span_path.hpp"

namespace heist::inline v0::detail {

struct dag_thread;

struct dag_step {
  region_number region = 0;
  std::uint64_t ticks = 0;              // of work
  std::unique_ptr<dag_thread> child{};  // spawned here
  const dag_thread* joined = nullptr;   // that has to have ended
};

struct dag_thread {
  std::vector<dag_step> steps;
  std::uint64_t total = 0;  // work, with that of the threads that were joined here
  bool is_joined = false;

  void work(region_number region, std::uint64_t ticks);
  dag_thread* spawn(std::unique_ptr<dag_thread> child);
  void join(dag_thread& child);
  // Goes on with what the other one did.
  void append(dag_thread& other);

  // Where it is now.
  struct mark {
    std::size_t steps;
    std::uint64_t total;
  };
  [[nodiscard]] mark now() const noexcept { return {steps.size(), total}; }
  // Drops the forks since then, if all that was done since takes less than `least` ticks.
  void collapse(const mark& since, std::uint64_t least);
};

// The file that `heist sim --dag file:FILE` reads; empty if the DAG is too large for it.
// What nobody has joined is joined at the end of `root`. `work`: the seconds that all instructions
// sum up to; 0: what was measured.
[[nodiscard]] std::string dag_text(dag_thread& root, const std::vector<std::string>& regions,
                                   double ns_per_tick, double work);

}  // namespace heist::inline v0::detail
