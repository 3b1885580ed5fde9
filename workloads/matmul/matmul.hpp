// Matrix product by recursive subdivision: the longest of the three sides is halved, so that at
// some depth blocks fit each cache, whatever its size, and the algorithm needs to know no cache.
// Halving the rows or the columns of the result gives two independent products; halving the inner
// side gives two sums into the same block, one after the other.
//
// Frigo, Leiserson, Prokop, Ramachandran: Cache-Oblivious Algorithms (FOCS 1999), section 2.

#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/forkers.hpp"

namespace heist::workloads {

// A block of a larger matrix, row after row, `stride` elements apart.
template <class Element>
struct block {
  Element* at;
  std::size_t rows, columns, stride;

  [[nodiscard]] Element* row(std::size_t i) const { return at + i * stride; }
  [[nodiscard]] block top() const { return {at, rows / 2, columns, stride}; }
  [[nodiscard]] block bottom() const { return {row(rows / 2), rows - rows / 2, columns, stride}; }
  [[nodiscard]] block left() const { return {at, rows, columns / 2, stride}; }
  [[nodiscard]] block right() const {
    return {at + columns / 2, rows, columns - columns / 2, stride};
  }
};

using constant_block = block<const double>;
using result_block = block<double>;

[[nodiscard]] inline constant_block as_constant(result_block m) {
  return {m.at, m.rows, m.columns, m.stride};
}

// Computes c += a b without any further division. It is out of line so that the parallel and the
// serial form run the same machine code.
void multiply_block(constant_block a, constant_block b, result_block c);

// Computes c += a b. `base` is the longest side of a block that is not divided further.
template <class Fork>
void multiply(constant_block a, constant_block b, result_block c, std::size_t base, Fork fork) {
  const auto longest = std::max({c.rows, c.columns, a.columns});
  if (longest <= base) return multiply_block(a, b, c);
  if (longest == c.rows) {
    fork([=] { multiply(a.top(), b, c.top(), base, fork); },
         [=] { multiply(a.bottom(), b, c.bottom(), base, fork); });
  } else if (longest == c.columns) {
    fork([=] { multiply(a, b.left(), c.left(), base, fork); },
         [=] { multiply(a, b.right(), c.right(), base, fork); });
  } else {
    multiply(a.left(), b.top(), c, base, fork);
    multiply(a.right(), b.bottom(), c, base, fork);
  }
}

}  // namespace heist::workloads
