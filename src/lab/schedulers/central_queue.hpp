// One queue for all processors. A processor keeps its thread until the thread stalls or dies;
// threads that are spawned or enabled go into the queue. Taking a thread out may cost steps, in
// which the processor waits and no other processor gets a thread; so with small tasks the
// processors queue up (see granularity).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"
#include "lab/schedulers/ready_pool.hpp"

namespace heist::lab {

// The processors without a thread. Those with small numbers are served first.
using idle_processors =
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

inline constexpr std::uint32_t max_queue_cost = 1'000'000;  // steps

template <thread_system Threads>
class central_queue {
 public:
  static constexpr std::uint64_t patience = max_queue_cost;

  central_queue(const Threads& threads, std::uint32_t processors, pool_order order,
                std::uint32_t cost)
      : threads_(&threads), order_(order), pool_(order), cost_(cost) {
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
  void end_step(std::uint64_t step, Assign assign) {
    if (taking_ != no_id && step == taken_in_) {
      assign(taker_, taking_);
      taking_ = no_id;
    }
    if (taking_ != no_id) return;
    for (; pool_.size() > 0 && !idle_.empty(); idle_.pop()) {
      const thread_id thread = pool_.take();
      if (cost_ == 0) {
        assign(idle_.top(), thread);
        continue;
      }
      taking_ = thread;
      taker_ = idle_.top();
      taken_in_ = step + cost_;
      wait_ += cost_;
      idle_.pop();
      return;
    }
  }

  template <class Assign>
  void between(std::uint64_t& step, std::uint64_t last, Assign assign) {
    if (taking_ == no_id || taken_in_ > last) {
      step = last;
      return;
    }
    step = taken_in_;
    end_step(step, assign);
  }

  void account(run_result& result) const {
    result.resumed = resumed_;
    result.peak_queue = peak_;
    result.wait = wait_;
  }

 private:
  [[nodiscard]] std::uint64_t key_of(thread_id thread) const {
    if constexpr (requires { threads_->priority(thread); })
      if (order_ == pool_order::by_priority) return threads_->priority(thread);
    return threads_->hint(thread);
  }
  void add(thread_id thread) {
    pool_.add(thread, key_of(thread));
    peak_ = std::max(peak_, pool_.size());
  }

  const Threads* threads_;
  pool_order order_;
  ready_pool pool_;
  idle_processors idle_;
  std::uint32_t cost_;
  thread_id taking_ = no_id;  // the thread that is being taken out, by whom, and until when
  std::uint32_t taker_ = 0;
  std::uint64_t taken_in_ = 0;
  std::uint64_t peak_ = 0, resumed_ = 0, wait_ = 0;
};

}  // namespace heist::lab
