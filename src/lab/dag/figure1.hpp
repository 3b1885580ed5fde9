// The example of Blumofe and Leiserson's Figure 1: 23 instructions in 6 threads.
//
// The text gives T1 = 23, Tinf = 10, the spawn tree, some of the instructions and spawn edges, and
// steps of the two-processor schedule in their Figure 2. The chains, and which instruction spawns
// which thread, follow from the serial order of the numbers; the joins are ours, chosen so that
// every fact of the text holds. After v21, G1 can't wait for v15, or the longest path would have 11
// nodes; so G2 joins twice, v14 -> v22 and v15 -> v23.
#pragma once

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

[[nodiscard]] explicit_dag figure1();

}  // namespace heist::lab
