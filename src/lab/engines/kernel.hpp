// The kernel of Arora, Blumofe and Plaxton (Thread scheduling for multiprogrammed multiprocessors,
// 1998): at each step it gives processors to some of the P processes, as an adversary of the
// scheduler would. Kernels differ in what they know:
//
//   benign      chooses how many processes run; chance says which
//   oblivious   chooses how many and which before the run begins
//   adaptive    sees the state of the processes before it chooses for a step
//
// The yield_rule keeps it in bounds.
#pragma once

#include <cstdint>
#include <vector>

namespace heist::lab {

// A process as an adaptive kernel sees it.
struct process_state {
  bool works = false;            // it has a thread; otherwise it is a thief
  std::uint64_t deque_size = 0;  // what thieves could take from it
};

class kernel {
 public:
  virtual ~kernel() = default;

  // Writes the processes that it wants to run in this step, each once.
  virtual void choose(std::uint64_t step, const std::vector<process_state>& processes,
                      std::vector<std::uint32_t>& chosen) = 0;
  // For so many steps it may give nobody a processor, on purpose.
  [[nodiscard]] virtual std::uint64_t silence() const { return 0; }
};

}  // namespace heist::lab
