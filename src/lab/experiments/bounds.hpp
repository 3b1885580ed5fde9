// What the theorems promise for a computation on P processors, from its measures alone.
#pragma once

#include <cstdint>

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

}  // namespace heist::lab
