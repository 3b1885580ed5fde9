// One cell of the matrix of `heist bench sort`: elements of one type with keys of one input, sorted
// by all sides in turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/rounds.hpp"
#include "bench/sort/sides.hpp"

namespace heist::bench::sorting {

struct cell {
  std::size_t type = 0;  // its place in element_types
  std::string input;
  std::vector<std::int64_t> keys;
  unsigned workers = 1;
};

struct outcome {
  samples ours;
  samples best;  // of the others: that with the least median
  std::string best_name;

  [[nodiscard]] samples to_best() const { return ratio(ours, best); }
};

// The first side is heist. Throws wrong_result.
[[nodiscard]] outcome play(const cell& what, const std::vector<side>& sides, const settings& with);

}  // namespace heist::bench::sorting
