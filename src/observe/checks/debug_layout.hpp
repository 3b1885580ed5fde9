// Where things lie in memory, for debuggers: scripts/heist-gdb.py finds the pools, workers and
// fibers of a process or of a core file by this table, without debug information.
//
// The table is an array of 64-bit words under a name that is exported: a magic number, the table's
// version, then addresses and offsets in the order of `words` in heist-gdb.py. Who changes what
// a word means raises the version, in both places.
#pragma once

#include <cstdint>

#include "heist/detail/visibility.hpp"

namespace heist::inline v0::detail {

constexpr std::uint64_t debug_layout_magic = 0x6765642d74736968;  // "hist-deg"
constexpr std::uint64_t debug_layout_version = 1;
constexpr unsigned debug_layout_words = 34;

union debug_word {
  std::uint64_t number;
  const void* address;
};
static_assert(sizeof(debug_word) == 8);

extern HEIST_API const debug_word debug_layout[debug_layout_words] asm("heist_v0_debug_layout");

}  // namespace heist::inline v0::detail
