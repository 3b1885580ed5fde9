// This program blurs an image in strips. Each pixel becomes the mean of a square around it. Along a
// strip the sums of the columns are kept from row to row, so that a pixel costs a few additions,
// whatever the square's size. Only a strip's first row has to be added up from scratch; this is why
// the loop runs over strips and not over rows.
//
//     example_image_strips [FILE.pgm]      writes the image to the file, if one is named
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

#include <heist/heist.hpp>

namespace {

constexpr int radius = 12;

struct image {
  int width;
  int height;
  std::vector<std::uint8_t> pixels =
      std::vector<std::uint8_t>(static_cast<std::size_t>(width * height));

  [[nodiscard]] std::uint8_t* row(int y) { return &pixels[static_cast<std::size_t>(y * width)]; }
  // Outside the image the pixels of its border are repeated.
  [[nodiscard]] const std::uint8_t* near(int y) const {
    return &pixels[static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width)];
  }
};

image rings(int width, int height) {
  image picture{width, height};
  heist::parallel_for(heist::block<2>{{0, 0}, {std::size_t(height), std::size_t(width)}},
                      [&](std::size_t y, std::size_t x) {
                        picture.row(int(y))[x] = std::uint8_t((x * x + y * y) / 700);
                      });
  return picture;
}

void blur_strip(const image& from, image& to, int first, int last) {
  constexpr int side = 2 * radius + 1;
  std::vector<int> column(std::size_t(from.width));
  const auto add_row = [&](int y, int sign) {
    for (int x = 0; x < from.width; ++x) column[std::size_t(x)] += sign * from.near(y)[x];
  };
  const auto at = [&](int x) { return column[std::size_t(std::clamp(x, 0, from.width - 1))]; };

  for (int y = first - radius; y < first + radius; ++y) add_row(y, 1);
  for (int y = first; y < last; ++y) {
    add_row(y + radius, 1);
    int sum = 0;
    for (int x = -radius; x < radius; ++x) sum += at(x);
    for (int x = 0; x < from.width; ++x) {
      sum += at(x + radius);
      to.row(y)[x] = std::uint8_t(sum / (side * side));
      sum -= at(x - radius);
    }
    add_row(y - radius, -1);
  }
}

image blur(const image& from, int strip_height) {
  image to{from.width, from.height};
  const int strips = (from.height + strip_height - 1) / strip_height;
  heist::parallel_for(0, strips, [&](int strip) {
    const int first = strip * strip_height;
    blur_strip(from, to, first, std::min(first + strip_height, from.height));
  });
  return to;
}

}  // namespace

int main(int count, char** arguments) {
  const image picture = rings(1600, 1000);
  const image in_strips = blur(picture, 48);
  const image at_once = blur(picture, picture.height);  // a single strip: the serial program

  const bool is_same = in_strips.pixels == at_once.pixels;
  std::printf("%d x %d pixels blurred in strips of 48 rows: %s as in a single strip\n",
              picture.width, picture.height, is_same ? "the same" : "NOT THE SAME");
  if (count > 1) {
    std::ofstream file(arguments[1], std::ios::binary);
    file << "P5\n" << picture.width << ' ' << picture.height << "\n255\n";
    file.write(reinterpret_cast<const char*>(in_strips.pixels.data()),
               static_cast<std::streamsize>(in_strips.pixels.size()));
    if (!file.flush()) return std::fprintf(stderr, "%s: can't be written\n", arguments[1]), 1;
  }
  return is_same ? 0 : 1;
}
