// What HEIST_STATS=1 says in words, below a pool's table.
#pragma once

#include <string>
#include <vector>

#include "heist/stats.hpp"

namespace heist::inline v0 {

// A sentence about the machine, if it was busy, one about how the work was shared, and one for each
// number that calls for a change. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::string> judgement_of(const pool_stats& s);

// A line for each column that isn't 0 everywhere, then the judgement. Throws std::bad_alloc.
[[nodiscard]] std::string words_about(const pool_stats& s);

// A line for each other copy of heist in this process that has a default pool too, or is of another
// version. Throws std::bad_alloc.
[[nodiscard]] std::string words_about_copies();

// The table and the words.
[[nodiscard]] inline std::string table_and_words(const pool_stats& s) {
  return to_string(s) + words_about(s);
}

}  // namespace heist::inline v0
