// The outcome of checks: an error where a property doesn't hold, otherwise a report of what was
// looked at.
#pragma once

#include <algorithm>
#include <cstdint>

#include <heist/error.hpp>

namespace heist::lab {

// what() names the property, the step, the processor and the state that it is in.
class check_error : public error {
 public:
  using error::error;
};

// What was looked at, in one checked run or several.
struct check_report {
  std::uint64_t runs = 0, steps = 0;
  // Work stealing on a fully strict computation:
  std::uint64_t augmented_span = 0;  // longest path of the augmented DAG; at most 2 Tinf
  std::uint64_t rounds = 0;          // each of at least 3P and fewer than 4P steal attempts
  std::uint64_t delay_path = 0;      // instructions of the longest delay sequence
  // Rounds in which one instruction of it stayed critical, at most.
  std::uint64_t longest_group = 0;

  void add(const check_report& other) {
    runs += other.runs;
    steps += other.steps;
    augmented_span = std::max(augmented_span, other.augmented_span);
    rounds += other.rounds;
    delay_path = std::max(delay_path, other.delay_path);
    longest_group = std::max(longest_group, other.longest_group);
  }
};

}  // namespace heist::lab
