// The computations of the documents that are DAGs from the start.
#pragma once

#include <cstdint>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

// The example of Blumofe and Leiserson's Figure 1: 23 instructions in 6 threads.
//
// The text gives T1 = 23, Tinf = 10, the spawn tree, some of the instructions and spawn edges, and
// steps of the two-processor schedule in their Figure 2. The chains, and which instruction spawns
// which thread, follow from the serial order of the numbers; the joins are ours, chosen so that
// every fact of the text holds. After v21, G1 can't wait for v15, or the longest path would have 11
// nodes; so G2 joins twice, v14 -> v22 and v15 -> v23.
[[nodiscard]] explicit_dag figure1();

// A pipeline: items pass through stages, and each stage serves one item at a time. Thread i is item
// i; its instruction s waits for instruction s of item i - 1. Joins go to siblings, so the
// computation isn't strict. Each item has one instruction more than there are stages, as no join
// may enter a thread's first instruction. Throws usage_error where the DAG would be too large.
[[nodiscard]] explicit_dag pipeline_dag(std::uint64_t items, std::uint64_t stages);

}  // namespace heist::lab
