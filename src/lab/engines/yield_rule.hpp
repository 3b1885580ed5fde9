// Yields keep a kernel in bounds. A process yields after a failed steal attempt. From then on the
// kernel may not give it a processor until a process chosen at random (to_random), or every other
// process (to_all), has had one. A process that had one in the step of the yield counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/model/random.hpp"

namespace heist::lab {

enum class yield_policy { none, to_random, to_all };

[[nodiscard]] std::string_view to_string(yield_policy policy);

// Holds a kernel to the yields. A chosen process that may not run yet is replaced by one that it
// waits for, so that the kernel gives away as many processors as it meant to, unless that process
// was chosen too.
class yield_rule {
 public:
  yield_rule(yield_policy policy, std::uint32_t processes, std::uint64_t seed);

  void note_yield(std::uint32_t process, std::uint64_t step);
  [[nodiscard]] bool may_run(std::uint32_t process) const;
  // Replaces processes that may not run, and notes that the chosen ones run in this step.
  void keep(std::uint64_t step, std::vector<std::uint32_t>& chosen);

 private:
  [[nodiscard]] std::uint32_t waits_for(std::uint32_t process) const;
  void find_least_recent();

  yield_policy policy_;
  rng random_;
  std::vector<std::uint64_t> last_run_;                       // by process: the step; 0: never
  std::vector<std::uint64_t> yielded_in_;                     // by process: 0: it may run
  std::vector<std::uint32_t> target_;                         // by process, for to_random
  std::uint32_t least_recent_ = 0, second_least_recent_ = 0;  // the processes that ran longest ago
  std::vector<std::uint64_t> kept_in_;  // by process: the step in which it was last let through
};

}  // namespace heist::lab
