// The shortest and the longest greedy schedule of a small DAG, by trying all of them.
#pragma once

#include <cstdint>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

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
