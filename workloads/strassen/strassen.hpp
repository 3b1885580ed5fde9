// Strassen's matrix product: seven products of blocks with half the side in place of eight, and
// some sums. This is Winograd's form with fifteen sums. Below a cutoff the product is the blocked
// one of matmul, which is faster there.
//
// Each product has room of its own for its factors and most have room for their result, so all
// seven may run at the same time. A level needs eleven quarters of memory for that, which every
// call takes from the heap and gives back.
//
// V. Strassen, Gaussian Elimination is not Optimal (Numerische Mathematik 13, 1969); S. Winograd,
// On Multiplication of 2 x 2 Matrices (Linear Algebra and its Applications 4, 1971).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>

#include "workloads/forkers.hpp"
#include "workloads/matmul/matmul.hpp"

namespace heist::workloads {

// The quarters of a matrix with an even side.
template <class Element>
struct quarters {
  block<Element> q11, q12, q21, q22;

  explicit quarters(block<Element> of)
      : q11(of.top().left()),
        q12(of.top().right()),
        q21(of.bottom().left()),
        q22(of.bottom().right()) {}
};

// The room of one call: square matrices of one side, one after another.
class strassen_room {
 public:
  static constexpr std::size_t matrices = 11;

  explicit strassen_room(std::size_t side)
      : side_(side), elements_(std::make_unique_for_overwrite<double[]>(matrices * side * side)) {}

  [[nodiscard]] result_block at(std::size_t number) const {
    return {elements_.get() + number * side_ * side_, side_, side_, side_};
  }

 private:
  std::size_t side_;
  std::unique_ptr<double[]> elements_;
};

// The factors that are sums of quarters.
struct strassen_factors {
  result_block s1, s2, s3, s4, t1, t2, t3, t4;
};

// Computes one row of all factors in one pass over the quarters.
void form_factors(const quarters<const double>& a, const quarters<const double>& b,
                  const strassen_factors& to, std::size_t row);

// What is added up in the end. Before, the quarters of c hold the second, third, fourth and seventh
// product.
struct strassen_products {
  constant_block p1, p5, p6;
};
void add_products(const strassen_products& p, const quarters<double>& c, std::size_t row);

// Computes c = a b for square matrices. A side above `cutoff` must be even; see strassen_side().
template <class Fork>
void strassen(constant_block a, constant_block b, result_block c, std::size_t cutoff, Fork fork) {
  if (c.rows <= cutoff) {
    constexpr std::size_t block_side = 48;  // three such blocks fit a small cache
    for (std::size_t i = 0; i < c.rows; ++i) std::fill_n(c.row(i), c.columns, 0.0);
    return multiply(a, b, c, block_side, serially{});
  }
  const std::size_t half = c.rows / 2;
  const strassen_room room(half);
  const quarters<const double> qa(a);
  const quarters<const double> qb(b);
  const quarters<double> qc(c);
  const strassen_factors f{room.at(0), room.at(1), room.at(2), room.at(3),
                           room.at(4), room.at(5), room.at(6), room.at(7)};
  const auto p1 = room.at(8);
  const auto p5 = room.at(9);
  const auto p6 = room.at(10);
  constexpr std::size_t grain_elements = 8192;  // of a row's sums that are worth a task
  const std::size_t grain = std::max<std::size_t>(1, grain_elements / half);
  const auto product = [=](constant_block left, constant_block right, result_block to) {
    return [=] { strassen(left, right, to, cutoff, fork); };
  };

  fork.loop(half, grain, [&](std::size_t row) { form_factors(qa, qb, f, row); });
  const auto first_three = [&] {
    fork(product(qa.q11, qb.q11, p1), [&] {
      fork(product(qa.q12, qb.q21, qc.q11), product(as_constant(f.s4), qb.q22, qc.q12));
    });
  };
  const auto last_four = [&] {
    fork(
        [&] {
          fork(product(qa.q22, as_constant(f.t4), qc.q21),
               product(as_constant(f.s1), as_constant(f.t1), p5));
        },
        [&] {
          fork(product(as_constant(f.s2), as_constant(f.t2), p6),
               product(as_constant(f.s3), as_constant(f.t3), qc.q22));
        });
  };
  fork(first_three, last_four);
  const strassen_products sums{as_constant(p1), as_constant(p5), as_constant(p6)};
  fork.loop(half, grain, [&](std::size_t row) { add_products(sums, qc, row); });
}

// The least side of at least n that can be halved until it is at most the cutoff.
inline std::size_t strassen_side(std::size_t n, std::size_t cutoff) {
  std::size_t pieces = 1;
  while ((n + pieces - 1) / pieces > cutoff) pieces *= 2;
  return (n + pieces - 1) / pieces * pieces;
}

}  // namespace heist::workloads
