// What an article measured of the sizes of deques over time, for tables that stand beside ours:
// A work-stealing scheduler with multi-task steals, section 4.1. Two workers on processors of their
// own; a step of 100 cycles.
#pragma once

#include <array>
#include <string_view>

namespace heist::report {

struct published_sizes {
  std::string_view workload;
  unsigned deque;                     // as the article counts: 1 or 2
  std::array<double, 5> probability;  // of a change by -2, -1, 0, 1 and 2 in a step
};

inline constexpr published_sizes all_published_sizes[] = {
    {"matmul", 1, {0.0000047, 0.0976776, 0.8046355, 0.0976741, 0.0000080}},
    {"matmul", 2, {0.0000000, 0.1343020, 0.7313987, 0.1342942, 0.0000044}},
    {"knapsack", 1, {0.0000000, 0.0282798, 0.9434404, 0.0282795, 0.0000002}},
    {"knapsack", 2, {0.0000000, 0.0538008, 0.8924009, 0.0537951, 0.0000031}},
};

}  // namespace heist::report
