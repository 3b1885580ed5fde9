// Blurs a picture of grey pixels with the binomial filter of 5 x 5 pixels, which comes close to a
// Gaussian one. It is separable: a pass along the rows and a pass across them do the work of 10
// products instead of 25. Each pass is a loop over strips of rows. The pixels are integers, so no
// order of the sums changes the result.
//
// R. Szeliski, Computer Vision: Algorithms and Applications (2nd edition, 2022), section 3.2.1.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/forkers.hpp"

namespace heist::workloads {

// The weights along one side. Their sum is 16, and 256 is the sum of those of all 25 pixels.
inline constexpr std::array<std::uint32_t, 5> binomial_weights = {1, 4, 6, 4, 1};

struct picture_size {
  std::size_t width, height;
  [[nodiscard]] std::size_t pixels() const { return width * height; }
};

// Outside the picture, the nearest pixel of the border is repeated. Both functions are out of line
// so that the parallel and the serial form run the same machine code.
void blur_along_row(const std::uint8_t* in, std::uint16_t* out, std::size_t width);
void blur_across_rows(const std::array<const std::uint16_t*, 5>& in, std::uint8_t* out,
                      std::size_t width);

// Blurs `from` into `to`; `sums` holds what the first pass computes.
template <class Fork>
void blur(picture_size size, std::span<const std::uint8_t> from, std::span<std::uint16_t> sums,
          std::span<std::uint8_t> to, std::size_t strip, Fork fork) {
  const std::size_t strips = (size.height + strip - 1) / strip;
  const auto for_rows_of = [=](std::size_t number, const auto& body) {
    const std::size_t last = std::min(size.height, (number + 1) * strip);
    for (std::size_t row = number * strip; row < last; ++row) body(row);
  };
  fork.loop(strips, 1, [=](std::size_t number) {
    for_rows_of(number, [=](std::size_t row) {
      blur_along_row(&from[row * size.width], &sums[row * size.width], size.width);
    });
  });
  fork.loop(strips, 1, [=](std::size_t number) {
    for_rows_of(number, [=](std::size_t row) {
      std::array<const std::uint16_t*, 5> in;
      for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t shifted = std::max<std::size_t>(row + i, 2) - 2;
        in[i] = &sums[std::min(shifted, size.height - 1) * size.width];
      }
      blur_across_rows(in, &to[row * size.width], size.width);
    });
  });
}

}  // namespace heist::workloads
