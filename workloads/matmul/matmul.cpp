#include "workloads/matmul/matmul.hpp"

namespace heist::workloads {

// With this order of the loops, along rows of b and c, the compiler generates vector code.
void multiply_block(constant_block a, constant_block b, result_block c) {
  for (std::size_t i = 0; i < c.rows; ++i) {
    double* __restrict out = c.row(i);
    for (std::size_t k = 0; k < a.columns; ++k) {
      const double factor = a.row(i)[k];
      const double* __restrict in = b.row(k);
      for (std::size_t j = 0; j < c.columns; ++j) out[j] += factor * in[j];
    }
  }
}

}  // namespace heist::workloads
