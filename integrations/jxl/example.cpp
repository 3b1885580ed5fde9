// Encodes a picture as JPEG XL on the default pool, or one of a program's own.
#include <cstdio>

#include <heist/integrations/jxl.hpp>

#include "jpeg_xl.hpp"

int main() {
  const jpeg_xl::picture picture = jpeg_xl::waves(1200, 800);
  heist::pool pool;
  const auto file = jpeg_xl::encoded(picture, heist::integrations::jxl_runner, &pool);
  if (jpeg_xl::decoded(file, heist::integrations::jxl_runner, &pool).rgb.size() !=
      picture.rgb.size())
    return 1;
  std::printf("%zu bytes, %.2f bits a pixel\n", file.size(),
              8.0 * static_cast<double>(file.size()) / (picture.width * picture.height));
}
