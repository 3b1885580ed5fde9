// One queue for all processors, to be had without cost or contention: a processor keeps its thread until that stalls
// or dies, a spawned thread goes into the queue, and so does one that was enabled.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "lab/computation.hpp"
#include "lab/run_result.hpp"
#include "lab/schedulers/ready_pool.hpp"

namespace heist::lab {

// Processors without a thread; those with small numbers are served first.
using idle_processors =
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

template <thread_system Threads>
class central_queue {
 public:
  static constexpr std::uint64_t patience = 0;

  central_queue(const Threads& threads, std::uint32_t processors, pool_order order)
      : threads_(&threads), pool_(order) {
    for (std::uint32_t p = 1; p < processors; ++p) idle_.push(p);
  }

  template <class Assign>
  void start(thread_id root, Assign assign) {
    assign(0, root);
  }

  thread_id after(std::uint32_t p, thread_id thread, const outcome& did) {
    for (const thread_id enabled : did.enabled) {
      if (enabled == no_id) continue;
      ++resumed_;
      add(enabled);
    }
    if (did.thread == outcome::fate::goes_on) {
      if (did.spawned != no_id) add(did.spawned);
      return thread;
    }
    if (did.spawned != no_id) return did.spawned;
    idle_.push(p);
    return no_id;
  }

  template <class Assign>
  void end_step(std::uint64_t, Assign assign) {
    for (; pool_.size() > 0 && !idle_.empty(); idle_.pop()) assign(idle_.top(), pool_.take());
  }

  template <class Assign>
  void between(std::uint64_t& step, std::uint64_t last, Assign) {
    step = last;
  }

  void account(run_result& result) const {
    result.resumed = resumed_;
    result.peak_queue = peak_;
  }

 private:
  void add(thread_id thread) {
    pool_.add(thread, threads_->hint(thread));
    peak_ = std::max(peak_, pool_.size());
  }

  const Threads* threads_;
  ready_pool pool_;
  idle_processors idle_;
  std::uint64_t peak_ = 0, resumed_ = 0;
};

}  // namespace heist::lab
