// The kernel of Arora, Blumofe and Plaxton (Thread scheduling for multiprogrammed multiprocessors, 1998): at each step it
// gives processors to some of the P processes, and it is an adversary. How much it knows:
//
//   benign      chooses how many; which ones is chance
//   oblivious   chooses how many and which, before the run begins
//   adaptive    sees the state before each step
//
// What holds it back is the yield_rule.
#pragma once

#include <cstdint>
#include <vector>

namespace heist::lab {

// A process as an adaptive adversary sees it.
struct process_state {
  bool works = false;            // it has a thread; otherwise it is a thief
  std::uint64_t deque_size = 0;  // what thieves could take from it
};

class kernel {
 public:
  virtual ~kernel() = default;

  // Writes whom it wants to run in this step, each once.
  virtual void choose(std::uint64_t step, const std::vector<process_state>& processes,
                      std::vector<std::uint32_t>& chosen) = 0;
  // For how many steps it may give no processor to anybody, on purpose.
  [[nodiscard]] virtual std::uint64_t silence() const { return 0; }
};

}  // namespace heist::lab
