// Cholesky factorisation of a symmetric positive definite matrix, A = L L^T, in two forms that do
// the same arithmetic in different orders:
//
// recursive: halves the matrix, and forks what is independent within each of its four steps. The
// parallelism is that of nested forks, and no step waits for more than its own parts.
// tiled: goes along the diagonal tile by tile ("right-looking"). In each round, a loop over the
// tiles below the diagonal one is followed by a loop over the tiles to the right of them. The loops
// get shorter from round to round, so the last ones have less work than there are workers.
//
// Each element's operations have an order that does not depend on who runs them, so the result is
// the same bit for bit.
//
// Recursive: F. Gustavson, Recursion leads to automatic variable blocking for dense linear-algebra
// algorithms (IBM Journal of Research and Development 41, 1997). Tiled: A. Buttari, J. Langou,
// J. Kurzak, J. Dongarra, A class of parallel tiled linear algebra algorithms for multicore
// architectures (Parallel Computing 35, 2009), whose tasks have finer dependencies than rounds.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "workloads/cholesky/kernels.hpp"
#include "workloads/forkers.hpp"

namespace heist::workloads {

// c -= a b^T: halves the longest side. Halves of the inner side follow each other, because both
// change the same elements.
template <class Fork>
void subtract_product(column_block c, column_block a, column_block b, std::size_t base, Fork fork) {
  const auto longest = std::max({c.rows, c.columns, a.columns});
  if (longest <= base) return gemm_block(c, a, b);
  if (longest == c.rows) {
    fork([=] { subtract_product(c.top(), a.top(), b, base, fork); },
         [=] { subtract_product(c.bottom(), a.bottom(), b, base, fork); });
  } else if (longest == c.columns) {
    fork([=] { subtract_product(c.left(), a, b.top(), base, fork); },
         [=] { subtract_product(c.right(), a, b.bottom(), base, fork); });
  } else {
    subtract_product(c, a.left(), b.left(), base, fork);
    subtract_product(c, a.right(), b.right(), base, fork);
  }
}

// c -= a a^T, in the lower triangle of c: two triangles and the square between them.
template <class Fork>
void subtract_square(column_block c, column_block a, std::size_t base, Fork fork) {
  if (std::max(c.rows, a.columns) <= base) return syrk_block(c, a);
  if (c.rows < a.columns) {
    subtract_square(c, a.left(), base, fork);
    subtract_square(c, a.right(), base, fork);
    return;
  }
  const auto half = c.rows / 2;
  const auto rest = c.rows - half;
  fork([=] { subtract_product(c.part(half, 0, rest, half), a.bottom(), a.top(), base, fork); },
       [=] {
         fork([=] { subtract_square(c.part(0, 0, half, half), a.top(), base, fork); },
              [=] { subtract_square(c.part(half, half, rest, rest), a.bottom(), base, fork); });
       });
}

// Replaces x by the y with y L^T = x. The rows of x are independent; L's halves follow each other.
template <class Fork>
void solve_triangle(column_block x, column_block l, std::size_t base, Fork fork) {
  if (std::max(x.rows, x.columns) <= base) return trsm_block(x, l);
  if (x.rows >= x.columns) {
    fork([=] { solve_triangle(x.top(), l, base, fork); },
         [=] { solve_triangle(x.bottom(), l, base, fork); });
    return;
  }
  const auto half = x.columns / 2;
  const auto rest = x.columns - half;
  solve_triangle(x.left(), l.part(0, 0, half, half), base, fork);
  subtract_product(x.right(), x.left(), l.part(half, 0, rest, half), base, fork);
  solve_triangle(x.right(), l.part(half, half, rest, rest), base, fork);
}

template <class Fork>
void factor_recursively(column_block a, std::size_t base, Fork fork) {
  if (a.rows <= base) return potrf_block(a);
  const auto half = a.rows / 2;
  const auto rest = a.rows - half;
  const auto below = a.part(half, 0, rest, half);
  const auto last = a.part(half, half, rest, rest);
  factor_recursively(a.part(0, 0, half, half), base, fork);
  solve_triangle(below, a.part(0, 0, half, half), base, fork);
  subtract_square(last, below, base, fork);
  factor_recursively(last, base, fork);
}

// The place of number i of the places (0, 0), (1, 0), (1, 1), (2, 0), ... of a triangle.
struct triangle_place {
  std::size_t row, column;

  explicit triangle_place(std::size_t i)
      : row(static_cast<std::size_t>((std::sqrt(8 * static_cast<double>(i) + 1) - 1) / 2)) {
    while (row * (row + 1) / 2 > i) --row;  // where the square root was rounded
    while ((row + 1) * (row + 2) / 2 <= i) ++row;
    column = i - row * (row + 1) / 2;
  }
};

template <class Fork>
void factor_by_tiles(column_block a, std::size_t side, Fork fork) {
  const auto tiles = (a.rows + side - 1) / side;
  const auto tile = [=](std::size_t row, std::size_t column) {
    return a.part(row * side, column * side, std::min(side, a.rows - row * side),
                  std::min(side, a.rows - column * side));
  };
  for (std::size_t k = 0; k < tiles; ++k) {
    potrf_block(tile(k, k));
    const auto left = tiles - k - 1;
    fork.loop(left, 1, [=](std::size_t i) { trsm_block(tile(k + 1 + i, k), tile(k, k)); });
    fork.loop(left * (left + 1) / 2, 1, [=](std::size_t i) {
      const triangle_place place(i);
      const auto row = k + 1 + place.row;
      const auto column = k + 1 + place.column;
      if (row == column)
        syrk_block(tile(row, row), tile(row, k));
      else
        gemm_block(tile(row, column), tile(row, k), tile(column, k));
    });
  }
}

}  // namespace heist::workloads
