// A computation with other dependencies, which is strict or fully strict and says the same.
#pragma once

#include <cstdint>

#include "lab/dag/explicit_dag.hpp"

namespace heist::lab {

struct made_strict {
  explicit_dag dag;
  std::uint64_t joins_moved = 0, instructions_added = 0;
};

// Moves join edges until the DAG is of that kind, so that every dependency that it had still holds
// (Blumofe and Leiserson, section 2: the semantics stay, the parallelism may not).
//
//   strict        An edge into a thread that is no ancestor ends at the instruction of their common
//                 ancestor from which that thread descends: the thread is spawned later.
//   fully strict  Then an edge to an ancestor farther up than the parent comes from the last
//                 instruction of that ancestor's child, which waits for all that its descendants
//                 do.
//
// Where the model allows no edge an instruction of one unit is added. Throws usage_error for a DAG
// that one processor can't execute depth first: there an instruction waits for one that comes
// later. strictness::general changes nothing.
[[nodiscard]] made_strict make_strict(const explicit_dag& dag, strictness kind);

}  // namespace heist::lab
