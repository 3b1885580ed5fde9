// What a simulated run came to. Each processor pays a dollar for each step (Blumofe and Leiserson,
// section 6), so work + attempts + wait + idle = P * steps.
#pragma once

#include <cstdint>

namespace heist::lab {

struct run_result {
  std::uint64_t processors = 0;
  std::uint64_t steps = 0;           // T
  std::uint64_t work = 0;            // dollars of processors that executed an instruction
  std::uint64_t attempts = 0;        // ... that sent a steal request
  std::uint64_t wait = 0;            // ... whose steal request was under way or in a queue
  std::uint64_t idle = 0;            // ... that did nothing
  std::uint64_t instructions = 0;    // an instruction of weight w counts once
  std::uint64_t steals = 0;          // attempts that got at least one thread
  std::uint64_t threads_stolen = 0;  // that all steals took; with work sharing: new ones given away
  std::uint64_t resumed = 0;         // stalled threads that another thread enabled
  // Of those resumed: on another processor than the one that they stalled on (work stealing and
  // sharing).
  std::uint64_t remote = 0;
  // S: the frames of the living threads at the end of a step, at most.
  std::uint64_t peak_space = 0;
  std::uint64_t peak_queue = 0;  // threads in one deque or pool, at most
  // Under a kernel: the processors that it gave, summed over the steps.
  std::uint64_t scheduled = 0;

  friend bool operator==(const run_result&, const run_result&) = default;
};

}  // namespace heist::lab
