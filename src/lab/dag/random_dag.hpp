// Random computations, for tests and for experiments on what has no structure.
#pragma once

#include <cstdint>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

// A DAG of `size` instructions, in about size / 8 threads with frames of 1 to 8. It is at least as
// strict as `kind`, and of that kind exactly unless it is very small. The same arguments give the
// same DAG.
//
//   fully strict  each thread's last instruction joins its parent, and some others do, too
//   strict        some instructions join ancestors farther up
//   general       some join instructions of any other thread, and so do some of the last ones
//
// Throws usage_error for a size of 0 or above explicit_dag::max_nodes.
[[nodiscard]] explicit_dag random_dag(strictness kind, std::uint64_t size, std::uint64_t seed);

}  // namespace heist::lab
