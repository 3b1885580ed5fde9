// What heist and libheist-check.so (src/checker) know of each other. The library is preloaded, by
// `heist check`; heist looks its table up by name when HEIST_CHECK asks for what it does.
#pragma once

#include <cstdint>

namespace heist::inline v0::detail {

struct check_library {
  // The calling thread runs functions of a pool from now on. A blocking call that lasts longer is
  // reported; 0: none is. Returns what end() takes.
  unsigned (*begin)(std::uint64_t longest_block_ns);
  // It doesn't any more.
  void (*end)(unsigned begun);
  // The caller is about to fork, spawn or wait, as the text says: reports the locks that it holds.
  void (*look)(const char* construct);
};

// The name of the table, a check_library.
inline constexpr const char* check_library_name = "heist_v0_check_library";

}  // namespace heist::inline v0::detail
