// The engine that goes from one end of an instruction to the next, so an instruction of weight w
// costs what one of weight 1 does, and processors without work cost nothing. It asks of a scheduler
// what the step engine does, and one thing more:
//
//   between(step, last, assign)      what idle processors do in the steps after `step`, in none of
//                                    which an instruction ends; moves `step` on to `last`, or to
//                                    the first step in which it assigned something
//
// Both engines give the same results, to the dollar, except for work stealing with aggregated
// attempts, whose results have the same distribution.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "lab/engines/calendar.hpp"
#include "lab/engines/step_engine.hpp"

namespace heist::lab {

// Prefetches what executing a processor's instruction will touch; with many processors it is no
// longer in a cache. Each stage reads what an earlier stage fetched.
template <class Threads, class Scheduler>
class fetcher {
 public:
  fetcher(const Threads& threads, const Scheduler& scheduler, const std::vector<thread_id>& running)
      : threads_(&threads), scheduler_(&scheduler), running_(&running) {}

  // Inlined by force: g++ 12 thinks that a function which only prefetches has no effect, and drops
  // the call.
  [[gnu::always_inline]] void ahead(const std::vector<std::uint32_t>& ending, std::size_t i) const {
    if constexpr (requires { scheduler_->deque_of(0).fetch(); }) {
      if (ending.size() < worth_it) return;
      if (i + 3 * distance < ending.size()) {
        const auto p = ending[i + 3 * distance];
        __builtin_prefetch(&(*running_)[p]);
        __builtin_prefetch(&scheduler_->deque_of(p));
      }
      if (i + 2 * distance < ending.size()) {
        const auto p = ending[i + 2 * distance];
        threads_->fetch((*running_)[p]);
        scheduler_->deque_of(p).fetch();
      }
      if (i + distance < ending.size()) {
        const auto& deque = scheduler_->deque_of(ending[i + distance]);
        if (!deque.empty()) threads_->fetch(deque[deque.size() - 1]);
      }
    }
  }

 private:
  static constexpr std::size_t distance = 8, worth_it = 512;

  const Threads* threads_;
  const Scheduler* scheduler_;
  const std::vector<thread_id>* running_;
};

template <class Threads, class Scheduler>
run_result run_events(Threads& threads, Scheduler& scheduler, std::uint32_t processors) {
  run_result result;
  result.processors = processors;
  std::vector<thread_id> running(processors, no_id);
  const fetcher<Threads, Scheduler> fetch(threads, scheduler, running);
  calendar ends;
  std::uint64_t step = 0;
  std::uint64_t assigned_work = 0;
  const auto assign = [&](std::uint32_t p, thread_id thread) {
    const auto weight = threads.weight(thread);
    running[p] = thread;
    assigned_work += weight;
    ends.add(step + weight, p);
  };
  scheduler.start(threads.start(), assign);
  while (threads.living() > 0) {
    for (auto next = ends.next(); step + 1 < next; next = ends.next()) {
      const bool may_hang = next == calendar::never;
      scheduler.between(step, may_hang ? step + Scheduler::patience : next - 1, assign);
      if (may_hang && ends.next() == calendar::never)
        throw deadlock_error(
            fmt::format("step {}: {} threads live and none runs", step, threads.living()));
    }
    ++step;
    const auto& ending = ends.take();
    for (std::size_t i = 0; i < ending.size(); ++i) {
      fetch.ahead(ending, i);
      const std::uint32_t p = ending[i];
      const thread_id thread = running[p];
      const outcome did = threads.execute(thread);
      const thread_id next = scheduler.after(p, thread, did);
      if (next != no_id) assign(p, next);
    }
    result.instructions += ending.size();
    result.peak_space = std::max(result.peak_space, threads.space());
    scheduler.end_step(step, assign);
  }
  result.steps = step;
  result.work = assigned_work;
  scheduler.account(result);
  result.idle = processors * result.steps - result.work - result.attempts - result.wait;
  return result;
}

}  // namespace heist::lab
