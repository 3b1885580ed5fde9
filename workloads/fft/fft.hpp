// The fast Fourier transform by recursion: the values are dealt into four quarters, each of which
// is transformed at the same time, and their transforms are combined. The quarters lie one after
// another, so at some depth one fits each cache, whatever its size, and no pass goes through memory
// with a stride. Sizes are powers of two; the last level has 16 or 32 values, except in the
// smallest transforms.
//
// J. W. Cooley, J. W. Tukey, An Algorithm for the Machine Calculation of Complex Fourier Series
// (Mathematics of Computation 19, 1965); the dealing: fft of the Cilk distribution (Frigo,
// Leiserson, Randall 1998).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "workloads/forkers.hpp"

namespace heist::workloads {

// std::complex multiplies with a check for what is not a number, which would be half of the time.
struct complex_number {
  double re = 0;
  double im = 0;

  friend complex_number operator+(complex_number a, complex_number b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend complex_number operator-(complex_number a, complex_number b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend complex_number operator*(complex_number a, complex_number b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// What the second, third and fourth quarter's value are multiplied by.
struct fft_factors {
  complex_number second, third, fourth;
};

// The factors of a transform and of its quarters, the quarters' quarters, and so on: for each level
// a table that is read from its beginning to its end.
class fft_tables {
 public:
  static constexpr std::size_t last_size = 32;  // of a transform without quarters

  explicit fft_tables(std::size_t size);

  [[nodiscard]] const fft_factors* at(unsigned level) const { return levels_[level].data(); }

 private:
  std::vector<std::vector<fft_factors>> levels_;
};

// The steps are out of line so that the parallel and the serial form run the same machine code.
//
// Transforms at most last_size values in place.
void fft_last(std::span<complex_number> values);
// Moves values 4 j, 4 j + 1, 4 j + 2 and 4 j + 3 to place j of the four quarters, for a part of j.
void fft_deal(std::span<const complex_number> from, std::span<complex_number> to, std::size_t first,
              std::size_t last);
// Combines value k of the four quarters, for a part of k.
void fft_combine(std::span<const complex_number> from, std::span<complex_number> to,
                 const fft_factors* factors, std::size_t first, std::size_t last);

// Calls step(first, last) for parts of [0, n) that are worth a task.
template <class Step, class Fork>
void fft_step(std::size_t n, const Step& step, Fork fork) {
  constexpr std::size_t part = 1024;
  if (n <= part || !Fork::is_parallel) return step(std::size_t{0}, n);
  fork.loop((n + part - 1) / part, 1,
            [&](std::size_t i) { step(i * part, std::min(n, (i + 1) * part)); });
}

// Transforms `values` in place. `room` has their size; its contents are unspecified. At most
// `cutoff` values are transformed without a fork.
template <class Fork>
void fft(std::span<complex_number> values, std::span<complex_number> room, const fft_tables& tables,
         unsigned level, std::size_t cutoff, Fork fork) {
  if (values.size() <= fft_tables::last_size) return fft_last(values);
  if constexpr (Fork::is_parallel) {
    if (values.size() <= cutoff) return fft(values, room, tables, level, cutoff, serially{});
  }
  const auto quarter = values.size() / 4;
  fft_step(
      quarter, [&](std::size_t first, std::size_t last) { fft_deal(values, room, first, last); },
      fork);
  const auto transform = [&, quarter](std::size_t number) {
    return [&, number, quarter] {
      const auto first = number * quarter;
      fft(room.subspan(first, quarter), values.subspan(first, quarter), tables, level + 1, cutoff,
          fork);
    };
  };
  fork([&] { fork(transform(0), transform(1)); }, [&] { fork(transform(2), transform(3)); });
  fft_step(
      quarter,
      [&](std::size_t first, std::size_t last) {
        fft_combine(room, values, tables.at(level), first, last);
      },
      fork);
}

}  // namespace heist::workloads
