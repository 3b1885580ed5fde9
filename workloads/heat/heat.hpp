// Heat spreads over a plate whose border is kept at zero: in each time step, every cell becomes the
// mean of its four neighbours. A step reads one buffer and writes the other (Jacobi's method), so
// its rows are independent; the steps follow each other. The program is a loop of equal rows in
// each round, and what it asks of a runtime is to begin and end loops cheaply, and to give a worker
// the rows that its cache already has.
//
// Jacobi's method for the five-point stencil: J. Demmel, Applied Numerical Linear Algebra (SIAM
// 1997), section 6.5.1.

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "workloads/forkers.hpp"

namespace heist::workloads {

// A plate of height x width cells, and a border of one cell around it.
struct plate {
  std::size_t width, height;

  [[nodiscard]] std::size_t stride() const { return width + 2; }
  [[nodiscard]] std::size_t cells() const { return stride() * (height + 2); }
};

// Computes one row: out[i] is the mean of the neighbours of here[i]. All four point to the first
// cell inside the border. It is out of line so that the parallel and the serial form run the same
// machine code.
void relax_row(const double* above, const double* here, const double* below, double* out,
               std::size_t width);

// A part of a loop has at least so many rows that some thousands of cells are in it.
[[nodiscard]] inline std::size_t rows_of_a_part(std::size_t width) {
  return std::max<std::size_t>(1, 4096 / width);
}

// Makes `steps` time steps from `from`, each into the other buffer, and returns the buffer that
// holds the result. Both borders must be zero.
template <class Fork>
std::span<double> spread_heat(const plate& on, std::span<double> from, std::span<double> to,
                              std::size_t steps, Fork fork) {
  for (std::size_t step = 0; step < steps; ++step) {
    const double* const in = from.data() + 1;
    double* const out = to.data() + 1;
    fork.loop(on.height, rows_of_a_part(on.width),
              [in, out, width = on.width, stride = on.stride()](std::size_t row) {
                const double* const above = in + row * stride;
                const double* const here = above + stride;
                relax_row(above, here, here + stride, out + (row + 1) * stride, width);
              });
    std::swap(from, to);
  }
  return from;
}

}  // namespace heist::workloads
