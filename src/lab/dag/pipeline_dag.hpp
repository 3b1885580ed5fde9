// A pipeline: items pass through stages, and each stage serves one item at a time. Thread i is item
// i; its instruction s waits for instruction s of item i - 1. Joins go to siblings, so the
// computation isn't strict.
#pragma once

#include <cstdint>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

// Each item has one instruction more than there are stages, as no join may enter a thread's first
// instruction. Throws usage_error where the DAG would be too large.
[[nodiscard]] explicit_dag pipeline_dag(std::uint64_t items, std::uint64_t stages);

}  // namespace heist::lab
