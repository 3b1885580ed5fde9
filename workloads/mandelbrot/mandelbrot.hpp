// The Mandelbrot set is computed row by row. Rows are independent, but a row through the set costs
// a thousand times as much as one beside it, so halves of the picture are not halves of the work.

#pragma once

#include <cstdint>
#include <span>

#include "workloads/forkers.hpp"

namespace heist::workloads {

struct picture {
  std::size_t width, height;
  std::uint32_t max_iterations;
  std::span<std::uint32_t> iterations;  // row after row; max_iterations: inside
};

// How often z -> z^2 + c can be applied before |z| > 2.
inline std::uint32_t escape_time(double re, double im, std::uint32_t max_iterations) {
  double x = 0;
  double y = 0;
  std::uint32_t n = 0;
  for (; n < max_iterations; ++n) {
    const double xx = x * x;
    const double yy = y * y;
    if (xx + yy > 4) break;
    y = 2 * x * y + im;
    x = xx - yy + re;
  }
  return n;
}

// The picture shows the real axis from -2.25 to 0.75, and the imaginary axis to the same scale.
inline std::uint32_t escape_time_at(const picture& of, std::size_t column, std::size_t row) {
  const double scale = 3.0 / static_cast<double>(of.width);
  const double im = (static_cast<double>(row) - static_cast<double>(of.height - 1) / 2) * scale;
  const double re = -2.25 + (static_cast<double>(column) + 0.5) * scale;
  return escape_time(re, im, of.max_iterations);
}

inline void draw_row(const picture& to, std::size_t row) {
  for (std::size_t column = 0; column < to.width; ++column)
    to.iterations[row * to.width + column] = escape_time_at(to, column, row);
}

template <class Fork>
void draw_rows(const picture& to, Fork fork) {
  fork.loop(to.height, 1, [&to](std::size_t row) { draw_row(to, row); });
}

}  // namespace heist::workloads
