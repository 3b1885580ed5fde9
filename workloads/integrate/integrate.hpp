// The integral of a function by the trapezoid rule, with smaller pieces where the function needs
// them: a piece is halved until both halves together differ from it by less than their share of the
// tolerance. Where that is, only the function knows. A piece is a few additions, and every division
// is a fork.
//
// The recursion: W. M. McKeeman, Algorithm 145: Adaptive Numerical Integration by Simpson's Rule
// (CACM 5, 1962), here with the simpler rule, as in the integrate programs for Cilk's successors.
#pragma once

#include <cmath>

#include "workloads/forkers.hpp"

namespace heist::workloads {

// No piece is halved more often than this, whatever the tolerance.
inline constexpr int most_halvings = 60;

// A piece of the axis with the function's values at its ends.
struct integral_piece {
  double begin, end;
  double at_begin, at_end;

  [[nodiscard]] double middle() const { return begin + (end - begin) / 2; }
  [[nodiscard]] double area() const { return (at_begin + at_end) * (end - begin) / 2; }
  [[nodiscard]] integral_piece left(double at_middle) const {
    return {begin, middle(), at_begin, at_middle};
  }
  [[nodiscard]] integral_piece right(double at_middle) const {
    return {middle(), end, at_middle, at_end};
  }
};

template <class Function>
double integrate_serially(const Function& f, const integral_piece& piece, double tolerance,
                          int halvings_left) {
  const double at_middle = f(piece.middle());
  const auto left = piece.left(at_middle);
  const auto right = piece.right(at_middle);
  const double sum = left.area() + right.area();
  if (std::abs(sum - piece.area()) <= tolerance || halvings_left == 0) return sum;
  const double a = integrate_serially(f, left, tolerance / 2, halvings_left - 1);
  return a + integrate_serially(f, right, tolerance / 2, halvings_left - 1);
}

// The same with a fork for every division.
template <class Function, class Fork>
double integrate(const Function& f, const integral_piece& piece, double tolerance,
                 int halvings_left, Fork fork) {
  const double at_middle = f(piece.middle());
  const auto left = piece.left(at_middle);
  const auto right = piece.right(at_middle);
  const double sum = left.area() + right.area();
  if (std::abs(sum - piece.area()) <= tolerance || halvings_left == 0) return sum;
  const auto [a, b] =
      fork([&] { return integrate(f, left, tolerance / 2, halvings_left - 1, fork); },
           [&] { return integrate(f, right, tolerance / 2, halvings_left - 1, fork); });
  return a + b;
}

}  // namespace heist::workloads
