// The engine that goes from step to step, as the models are written: in each step each processor
// executes one instruction at most. It runs any scheduler on any thread system. An observer sees
// every step; the checks are observers.
//
// Within a step, processors execute in the order of their numbers; what becomes ready is then dealt
// out for the next step by the scheduler, which has these functions:
//
//   start(root, assign)              before the first step
//   after(p, thread, outcome)        p executed an instruction; returns what p runs next, or no_id
//   end_step(step, assign)           hands threads to processors without one by assign(p, thread)
//   between(step, last, assign)      event engine only: see there
//   account(result)                  its part of the result
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"

namespace heist::lab {

// Threads are alive, but no processor runs one or can get one. This never happens with a scheduler
// that accepts the computation.
class deadlock_error : public error {
 public:
  using error::error;
};

struct no_observer {
  template <class Threads>
  void begin_step(std::uint64_t, const std::vector<thread_id>&, const Threads&) {}
  template <class Threads>
  void executed(std::uint64_t, std::uint32_t, thread_id, const outcome&, const Threads&) {}
  template <class Threads, class Scheduler>
  void end_step(std::uint64_t, const std::vector<thread_id>&, const Threads&, const Scheduler&) {}
};

template <class Threads, class Scheduler, class Observer>
run_result run_steps(Threads& threads, Scheduler& scheduler, std::uint32_t processors,
                     Observer& observer) {
  run_result result;
  result.processors = processors;
  std::vector<thread_id> running(processors, no_id);
  std::vector<std::uint64_t> left(processors, 0);
  std::uint32_t busy = 0;
  const auto assign = [&](std::uint32_t p, thread_id thread) {
    running[p] = thread;
    left[p] = threads.weight(thread);
    ++busy;
  };
  scheduler.start(threads.start(), assign);
  std::uint64_t fruitless = 0;
  while (threads.living() > 0) {
    const auto step = ++result.steps;
    fruitless = busy > 0 ? 0 : fruitless + 1;
    if (fruitless > Scheduler::patience)
      throw deadlock_error(
          fmt::format("step {}: {} threads live and none runs", step, threads.living()));
    observer.begin_step(step, running, threads);
    for (std::uint32_t p = 0; p < processors; ++p) {
      if (running[p] == no_id) continue;
      ++result.work;
      if (--left[p] > 0) continue;
      const thread_id thread = running[p];
      running[p] = no_id;
      --busy;
      const outcome did = threads.execute(thread);
      ++result.instructions;
      observer.executed(step, p, thread, did, threads);
      const thread_id next = scheduler.after(p, thread, did);
      if (next != no_id) assign(p, next);
    }
    result.peak_space = std::max(result.peak_space, threads.space());
    scheduler.end_step(step, assign);
    observer.end_step(step, running, threads, scheduler);
  }
  scheduler.account(result);
  result.idle = processors * result.steps - result.work - result.attempts - result.wait;
  return result;
}

}  // namespace heist::lab
