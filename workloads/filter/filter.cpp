#include "workloads/filter/filter.hpp"

namespace heist::workloads {

namespace {

constexpr std::uint16_t weighted(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
                                 std::uint32_t e) {
  constexpr auto w = binomial_weights;
  return static_cast<std::uint16_t>(w[0] * a + w[1] * b + w[2] * c + w[3] * d + w[4] * e);
}

// The pixels whose neighbours are not all inside.
void blur_end(const std::uint8_t* in, std::uint16_t* out, std::size_t width, std::size_t column) {
  const auto at = [=](std::size_t shifted) -> std::uint32_t {
    return in[std::min(std::max<std::size_t>(shifted, 2) - 2, width - 1)];
  };
  out[column] =
      weighted(at(column), at(column + 1), at(column + 2), at(column + 3), at(column + 4));
}

}  // namespace

void blur_along_row(const std::uint8_t* in, std::uint16_t* out, std::size_t width) {
  const std::size_t first = std::min<std::size_t>(2, width);
  const std::size_t last = std::max(first, width < 2 ? 0 : width - 2);
  std::uint16_t* __restrict const to = out;
  for (std::size_t i = 0; i < first; ++i) blur_end(in, out, width, i);
  for (std::size_t i = first; i < last; ++i)
    to[i] = weighted(in[i - 2], in[i - 1], in[i], in[i + 1], in[i + 2]);
  for (std::size_t i = last; i < width; ++i) blur_end(in, out, width, i);
}

// The largest sum, 256 times 255 and 128 to round, is just within 16 bits.
void blur_across_rows(const std::array<const std::uint16_t*, 5>& in, std::uint8_t* out,
                      std::size_t width) {
  const auto [a, b, c, d, e] = in;
  std::uint8_t* __restrict const to = out;
  for (std::size_t i = 0; i < width; ++i) {
    const auto sum = static_cast<std::uint16_t>(weighted(a[i], b[i], c[i], d[i], e[i]) + 128);
    to[i] = static_cast<std::uint8_t>(sum >> 8);
  }
}

}  // namespace heist::workloads
