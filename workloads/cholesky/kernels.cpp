#include "workloads/cholesky/kernels.hpp"

#include <cmath>

namespace heist::workloads {

namespace {

// to -= factor * from
void subtract_column(double* __restrict to, const double* from, double factor, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) to[i] -= factor * from[i];
}

// Subtracts from rows [first, c.rows) of column j of c what a times row j of b is. Four columns of
// a at a time, so that each element of c is loaded and stored a quarter as often.
void subtract_products(const column_block& c, const column_block& a, const column_block& b,
                       std::size_t j, std::size_t first) {
  double* __restrict const to = c.column(j) + first;
  const std::size_t rows = c.rows - first;
  std::size_t k = 0;
  for (; k + 4 <= a.columns; k += 4) {
    const double* const from[] = {a.column(k) + first, a.column(k + 1) + first,
                                  a.column(k + 2) + first, a.column(k + 3) + first};
    const double factor[] = {b.column(k)[j], b.column(k + 1)[j], b.column(k + 2)[j],
                             b.column(k + 3)[j]};
    for (std::size_t i = 0; i < rows; ++i)
      to[i] -= (factor[0] * from[0][i] + factor[1] * from[1][i]) +
               (factor[2] * from[2][i] + factor[3] * from[3][i]);
  }
  for (; k < a.columns; ++k) subtract_column(to, a.column(k) + first, b.column(k)[j], rows);
}

}  // namespace

void potrf_block(const column_block& a) {
  for (std::size_t j = 0; j < a.rows; ++j) {
    double* const column = a.column(j);
    column[j] = std::sqrt(column[j]);
    for (std::size_t i = j + 1; i < a.rows; ++i) column[i] /= column[j];
    for (std::size_t k = j + 1; k < a.rows; ++k)
      subtract_column(a.column(k) + k, column + k, column[k], a.rows - k);
  }
}

void trsm_block(const column_block& x, const column_block& l) {
  for (std::size_t j = 0; j < x.columns; ++j) {
    double* const column = x.column(j);
    subtract_products(x, {x.at, x.rows, j, x.stride}, l, j, 0);
    const double diagonal = l.column(j)[j];
    for (std::size_t i = 0; i < x.rows; ++i) column[i] /= diagonal;
  }
}

void syrk_block(const column_block& c, const column_block& a) {
  for (std::size_t j = 0; j < c.columns; ++j) subtract_products(c, a, a, j, j);
}

void gemm_block(const column_block& c, const column_block& a, const column_block& b) {
  for (std::size_t j = 0; j < c.columns; ++j) subtract_products(c, a, b, j, 0);
}

}  // namespace heist::workloads
