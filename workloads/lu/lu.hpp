// LU decomposition without pivoting, by recursive halves: the upper left quarter first, then the
// two beside it at the same time, then what remains of the lower right one. Each step divides its
// longest side until the blocks fit a cache, and forks where the halves are independent. The parts
// of a sum into one element are always in the same order, so a parallel result is that of the
// serial run, bit for bit.
//
// Without pivoting, the matrix must be one that needs none: here the diagonal dominates.
//
// The program: lu of the Cilk distribution (Frigo, Leiserson, Randall 1998); S. Toledo, Locality of
// Reference in LU Decomposition with Partial Pivoting (SIAM J. Matrix Analysis 18, 1997).
#pragma once

#include <algorithm>
#include <cstddef>

#include "workloads/forkers.hpp"
#include "workloads/matmul/matmul.hpp"

namespace heist::workloads {

// The last steps, without any further division. They are out of line so that the parallel and the
// serial form run the same machine code.
//
// Computes c -= a b.
void subtract_block_product(constant_block a, constant_block b, result_block c);
// Decomposes a square matrix in place: U with the diagonal, and L, whose diagonal is one, below it.
void decompose_block(result_block a);
// Solves l x = b in place of b. The diagonal of the lower triangle is taken to be one.
void solve_lower_block(constant_block l, result_block b);
// Solves x u = b in place of b.
void solve_upper_block(constant_block u, result_block b);

// Computes c -= a b. `base` is the longest side of a block that is not divided further.
template <class Fork>
void subtract_product(constant_block a, constant_block b, result_block c, std::size_t base,
                      Fork fork) {
  const auto longest = std::max({c.rows, c.columns, a.columns});
  if (longest <= base) return subtract_block_product(a, b, c);
  if (longest == c.rows) {
    fork([=] { subtract_product(a.top(), b, c.top(), base, fork); },
         [=] { subtract_product(a.bottom(), b, c.bottom(), base, fork); });
  } else if (longest == c.columns) {
    fork([=] { subtract_product(a, b.left(), c.left(), base, fork); },
         [=] { subtract_product(a, b.right(), c.right(), base, fork); });
  } else {
    subtract_product(a.left(), b.top(), c, base, fork);
    subtract_product(a.right(), b.bottom(), c, base, fork);
  }
}

template <class Fork>
void solve_lower(constant_block l, result_block b, std::size_t base, Fork fork) {
  if (std::max(b.rows, b.columns) <= base) return solve_lower_block(l, b);
  if (b.columns >= b.rows) {
    fork([=] { solve_lower(l, b.left(), base, fork); },
         [=] { solve_lower(l, b.right(), base, fork); });
    return;
  }
  solve_lower(l.top().left(), b.top(), base, fork);
  subtract_product(l.bottom().left(), as_constant(b.top()), b.bottom(), base, fork);
  solve_lower(l.bottom().right(), b.bottom(), base, fork);
}

template <class Fork>
void solve_upper(constant_block u, result_block b, std::size_t base, Fork fork) {
  if (std::max(b.rows, b.columns) <= base) return solve_upper_block(u, b);
  if (b.rows >= b.columns) {
    fork([=] { solve_upper(u, b.top(), base, fork); },
         [=] { solve_upper(u, b.bottom(), base, fork); });
    return;
  }
  solve_upper(u.top().left(), b.left(), base, fork);
  subtract_product(as_constant(b.left()), u.top().right(), b.right(), base, fork);
  solve_upper(u.bottom().right(), b.right(), base, fork);
}

// Decomposes a square matrix in place.
template <class Fork>
void decompose(result_block a, std::size_t base, Fork fork) {
  if (a.rows <= base) return decompose_block(a);
  const auto upper_left = a.top().left();
  const auto upper_right = a.top().right();
  const auto lower_left = a.bottom().left();
  const auto lower_right = a.bottom().right();
  decompose(upper_left, base, fork);
  fork([=] { solve_lower(as_constant(upper_left), upper_right, base, fork); },
       [=] { solve_upper(as_constant(upper_left), lower_left, base, fork); });
  subtract_product(as_constant(lower_left), as_constant(upper_right), lower_right, base, fork);
  decompose(lower_right, base, fork);
}

}  // namespace heist::workloads
