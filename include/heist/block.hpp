// block: a rectangle or a box of cells, for loops in two and three dimensions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// The cells c with first[d] <= c[d] < last[d]; the last dimension is the one whose cells are
// neighbours in memory: block<2>{{0, 0}, {rows, columns}}.
template <std::size_t D>
requires(D == 2 || D == 3)
struct block {
  std::size_t first[D];  // the first cell's position in each dimension
  std::size_t last[D];   // the position behind the last cell's in each dimension

  // How many positions there are in dimension d, which is below D.
  [[nodiscard]] constexpr std::size_t extent(std::size_t d) const noexcept {
    return last[d] - first[d];
  }
  // How many cells there are; the greatest std::size_t if there are more.
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    std::size_t product = 1;
    for (std::size_t d = 0; d < D; ++d) {
      if (extent(d) == 0) return 0;
      product = product > SIZE_MAX / extent(d) ? SIZE_MAX : product * extent(d);
    }
    return product;
  }
  friend constexpr bool operator==(const block&, const block&) = default;
};

}  // namespace heist::inline v0

#include "heist/detail/block_impl.hpp"
