// The Busy-Leaves algorithm (Blumofe, Leiserson 1999, section 3), for strict computations: all
// living threads that nobody runs are in one pool. A processor executes a thread A until it
//
//   spawns B   A returns to the pool, B is executed next
//   stalls     A returns to the pool, the processor is idle
//   dies       if A's parent has no other living child, and nobody runs it, it is executed next;
//              otherwise the processor is idle
//
// Idle processors take ready threads from the pool before each step, oldest first, small numbers
// first. The schedule is greedy, and each leaf of the spawn tree is being executed at every step:
// time T1/P + Tinf, space S1 * P.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"
#include "lab/schedulers/central_queue.hpp"
#include "lab/schedulers/ready_pool.hpp"

namespace heist::lab {

template <thread_system Threads>
class busy_leaves {
 public:
  static constexpr std::uint64_t patience = 0;

  busy_leaves(const Threads& threads, std::uint32_t processors) : threads_(&threads) {
    for (std::uint32_t p = 1; p < processors; ++p) idle_.push(p);
  }

  template <class Assign>
  void start(thread_id root, Assign assign) {
    assign(0, root);
  }

  // The pool object holds only the ready threads of the algorithm's pool; stalled ones join it when
  // enabled.
  thread_id after(std::uint32_t p, thread_id thread, const outcome& did) {
    for (const thread_id enabled : did.enabled) {
      if (enabled == no_id) continue;
      ++resumed_;
      add(enabled);
    }
    if (did.thread == outcome::fate::goes_on) {
      if (did.spawned == no_id) return thread;
      add(thread);
      return did.spawned;
    }
    if (did.thread == outcome::fate::died) {
      const thread_id parent = threads_->parent(thread);
      if (parent != no_id && threads_->living_children(parent) == 0 && pool_.has(parent)) {
        pool_.take(parent);
        return parent;
      }
    }
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
    pool_.add(thread, 0);
    peak_ = std::max(peak_, pool_.size());
  }

  const Threads* threads_;
  ready_pool pool_{pool_order::fifo};
  idle_processors idle_;
  std::uint64_t peak_ = 0, resumed_ = 0;
};

}  // namespace heist::lab
