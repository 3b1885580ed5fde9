// What the theorems promise for a computation on P processors, from its measures alone; and the
// shortest and the longest greedy schedule of a small DAG, by trying all of them.
#pragma once

#include <cstdint>

#include "lab/dag/explicit_dag.hpp"
#include "lab/model/serial.hpp"

namespace heist::lab {

struct bounds {
  std::uint64_t processors = 1;
  double least_time = 0;     // max(T1/P, Tinf): no schedule is shorter
  double greedy_time = 0;    // T1/P + Tinf: no greedy schedule is longer (Theorem 1)
  double most_speedup = 0;   // T1 / least_time
  double sure_speedup = 0;   // T1 / greedy_time
  double space = 0;          // S1 P: Busy-Leaves on strict ones, work stealing on fully strict ones
  double communication = 0;  // P Tinf (1 + nd) Smax: expected, up to a constant (work stealing)
};

[[nodiscard]] bounds bounds_of(const measures& measured, std::uint64_t processors);

// Steps on P processors. The shortest greedy schedule is the shortest of all: where instructions
// take one step each, it never helps to leave a processor idle. No greedy schedule is longer than
// T1/P + Tinf, so none takes more than twice as long as the shortest (Graham 1966).
struct greedy_lengths {
  std::uint64_t shortest = 0, longest = 0;
  std::uint64_t states = 0;  // sets of executed instructions that greedy schedules reach
};

inline constexpr std::uint32_t max_instructions_to_try = 64;
inline constexpr std::uint64_t max_states_to_try = 1U << 22U;  // some seconds

// Throws usage_error for a DAG with more instructions or with weights, for P = 0, and where there
// are more states.
[[nodiscard]] greedy_lengths try_greedy_schedules(const explicit_dag& dag, std::uint64_t processors,
                                                  std::uint64_t most_states = max_states_to_try);

}  // namespace heist::lab
