#include "workloads/lu/lu.hpp"

namespace heist::workloads {

namespace {

// out -= factor * in, over the given number of elements. With rows as the innermost loop, the
// compiler generates vector code.
void subtract_multiple(double* __restrict out, const double* __restrict in, double factor,
                       std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) out[j] -= factor * in[j];
}

}  // namespace

void subtract_block_product(constant_block a, constant_block b, result_block c) {
  for (std::size_t i = 0; i < c.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      subtract_multiple(c.row(i), b.row(k), a.row(i)[k], c.columns);
}

void decompose_block(result_block a) {
  for (std::size_t k = 0; k < a.rows; ++k)
    for (std::size_t i = k + 1; i < a.rows; ++i) {
      double* const row = a.row(i);
      row[k] /= a.row(k)[k];
      subtract_multiple(row + k + 1, a.row(k) + k + 1, row[k], a.columns - k - 1);
    }
}

void solve_lower_block(constant_block l, result_block b) {
  for (std::size_t i = 1; i < b.rows; ++i)
    for (std::size_t k = 0; k < i; ++k)
      subtract_multiple(b.row(i), b.row(k), l.row(i)[k], b.columns);
}

void solve_upper_block(constant_block u, result_block b) {
  for (std::size_t i = 0; i < b.rows; ++i) {
    double* const row = b.row(i);
    for (std::size_t k = 0; k < b.columns; ++k) {
      row[k] /= u.row(k)[k];
      subtract_multiple(row + k + 1, u.row(k) + k + 1, row[k], b.columns - k - 1);
    }
  }
}

}  // namespace heist::workloads
