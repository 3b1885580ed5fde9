// Schedules that choose the P ready instructions to execute anew in each step; no thread keeps its
// processor.
//
//   greedy           those that have been ready longest; all of them, if there are at most P
//   level by level   those of one level (their longest path from the root's first instruction)
//                    before any of the next (Brent 1974)
//
// Both take at most T1/P + Tinf steps (Brent; Graham; Theorem 1 of Blumofe and Leiserson). An
// instruction of weight w is a chain of w here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/model/run_result.hpp"
#include "lab/model/thread_system.hpp"

namespace heist::lab {

enum class ready_choice { oldest, by_level };

template <thread_system Threads, class Observer>
run_result run_ready_set(Threads& threads, std::uint32_t processors, ready_choice choice,
                         Observer& observer) {
  struct entry {
    thread_id thread;
    std::uint64_t left;
  };
  run_result result;
  result.processors = processors;
  // The instructions in now[begin..] may be chosen; those that become ready in this step go to
  // `next`.
  std::vector<entry> now, next;
  std::vector<thread_id> running;
  std::size_t begin = 0;
  const auto becomes_ready = [&](thread_id thread) {
    next.push_back({thread, threads.weight(thread)});
  };
  becomes_ready(threads.start());
  while (threads.living() > 0) {
    if (choice == ready_choice::oldest || begin == now.size()) {
      if (begin > now.size() / 2) {
        now.erase(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(begin));
        begin = 0;
      }
      now.insert(now.end(), next.begin(), next.end());
      next.clear();
    }
    const auto step = ++result.steps;
    result.peak_queue = std::max<std::uint64_t>(result.peak_queue, now.size() - begin);
    const auto count = std::min<std::size_t>(processors, now.size() - begin);
    running.assign(processors, no_id);
    for (std::size_t i = 0; i < count; ++i) running[i] = now[begin + i].thread;
    observer.begin_step(step, running, threads);
    for (std::uint32_t p = 0; p < count; ++p) {
      auto& each = now[begin + p];
      ++result.work;
      if (--each.left > 0) {
        next.push_back(each);
        continue;
      }
      const outcome did = threads.execute(each.thread);
      ++result.instructions;
      observer.executed(step, p, each.thread, did, threads);
      for (const thread_id enabled : did.enabled) {
        if (enabled == no_id) continue;
        ++result.resumed;
        becomes_ready(enabled);
      }
      if (did.spawned != no_id) becomes_ready(did.spawned);
      if (did.thread == outcome::fate::goes_on) becomes_ready(each.thread);
    }
    begin += count;
    result.peak_space = std::max(result.peak_space, threads.space());
  }
  result.idle = processors * result.steps - result.work;
  return result;
}

}  // namespace heist::lab
