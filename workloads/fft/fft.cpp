#include "workloads/fft/fft.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace heist::workloads {

namespace {

// exp(-2 pi i k / n)
complex_number root_of_one(std::size_t k, std::size_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

constexpr std::size_t last_size = fft_tables::last_size;

// The factors of the small transforms of every size up to the last.
const std::array<complex_number, last_size / 2>& small_roots() {
  static const auto roots = [] {
    std::array<complex_number, last_size / 2> table;
    for (std::size_t k = 0; k < table.size(); ++k) table[k] = root_of_one(k, last_size);
    return table;
  }();
  return roots;
}

// Transforms Size values, `Stride` apart, into `to`. The compiler sees every size and stride.
template <std::size_t Size, std::size_t Stride>
[[gnu::always_inline]] inline void transform_small(const complex_number* from, complex_number* to,
                                                   const complex_number* roots) {
  if constexpr (Size == 1) {
    *to = *from;
  } else {
    constexpr std::size_t half = Size / 2;
    transform_small<half, 2 * Stride>(from, to, roots);
    transform_small<half, 2 * Stride>(from + Stride, to + half, roots);
    for (std::size_t k = 0; k < half; ++k) {
      const auto even = to[k];
      const auto odd = to[k + half] * roots[k * (last_size / Size)];
      to[k] = even + odd;
      to[k + half] = even - odd;
    }
  }
}

template <std::size_t Size>
void transform_in_place(complex_number* values) {
  std::array<complex_number, Size> copy;
  std::copy_n(values, Size, copy.data());
  transform_small<Size, 1>(copy.data(), values, small_roots().data());
}

}  // namespace

fft_tables::fft_tables(std::size_t size) {
  for (; size > last_size; size /= 4) {
    auto& table = levels_.emplace_back(size / 4);
    for (std::size_t k = 0; k < table.size(); ++k)
      table[k] = {root_of_one(k, size), root_of_one(2 * k, size), root_of_one(3 * k, size)};
  }
}

void fft_last(std::span<complex_number> values) {
  switch (values.size()) {
    case 2:
      return transform_in_place<2>(values.data());
    case 4:
      return transform_in_place<4>(values.data());
    case 8:
      return transform_in_place<8>(values.data());
    case 16:
      return transform_in_place<16>(values.data());
    case last_size:
      return transform_in_place<last_size>(values.data());
    default:
      return;  // one value is its own transform
  }
}

void fft_deal(std::span<const complex_number> from, std::span<complex_number> to, std::size_t first,
              std::size_t last) {
  const auto quarter = from.size() / 4;
  for (std::size_t j = first; j < last; ++j)
    for (std::size_t number = 0; number < 4; ++number)
      to[number * quarter + j] = from[4 * j + number];
}

void fft_combine(std::span<const complex_number> from, std::span<complex_number> to,
                 const fft_factors* factors, std::size_t first, std::size_t last) {
  const auto quarter = from.size() / 4;
  const complex_number* __restrict in = from.data();
  complex_number* __restrict out = to.data();
  for (std::size_t k = first; k < last; ++k) {
    const auto a = in[k];
    const auto b = in[k + quarter] * factors[k].second;
    const auto c = in[k + 2 * quarter] * factors[k].third;
    const auto d = in[k + 3 * quarter] * factors[k].fourth;
    const auto even_sum = a + c;
    const auto even_difference = a - c;
    const auto odd_sum = b + d;
    const auto difference = b - d;
    const complex_number odd_difference{difference.im, -difference.re};  // times -i
    out[k] = even_sum + odd_sum;
    out[k + quarter] = even_difference + odd_difference;
    out[k + 2 * quarter] = even_sum - odd_sum;
    out[k + 3 * quarter] = even_difference - odd_difference;
  }
}

}  // namespace heist::workloads
