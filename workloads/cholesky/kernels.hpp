// What the two forms of the Cholesky factorisation do with blocks that are not divided further. The
// functions are out of line so that the parallel and the serial form run the same machine code.
//
// Matrices are stored column after column, so that the innermost loops run along columns and the
// compiler generates vector code for them. The names are those of LAPACK and BLAS.

#pragma once

#include <cstddef>

namespace heist::workloads {

// A block of a larger matrix, column after column, `stride` elements apart.
struct column_block {
  double* at;
  std::size_t rows, columns, stride;

  [[nodiscard]] double* column(std::size_t j) const { return at + j * stride; }
  [[nodiscard]] column_block part(std::size_t row, std::size_t column, std::size_t height,
                                  std::size_t width) const {
    return {at + column * stride + row, height, width, stride};
  }
  [[nodiscard]] column_block top() const { return part(0, 0, rows / 2, columns); }
  [[nodiscard]] column_block bottom() const { return part(rows / 2, 0, rows - rows / 2, columns); }
  [[nodiscard]] column_block left() const { return part(0, 0, rows, columns / 2); }
  [[nodiscard]] column_block right() const {
    return part(0, columns / 2, rows, columns - columns / 2);
  }
};

// Replaces the lower triangle of a symmetric positive definite block by its factor L.
void potrf_block(const column_block& a);

// Replaces x by the solution y of y L^T = x, for a lower triangle L.
void trsm_block(const column_block& x, const column_block& l);

// c -= a a^T, in the lower triangle of c only.
void syrk_block(const column_block& c, const column_block& a);

// c -= a b^T.
void gemm_block(const column_block& c, const column_block& a, const column_block& b);

}  // namespace heist::workloads
