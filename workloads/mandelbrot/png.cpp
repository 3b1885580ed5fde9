#include "workloads/mandelbrot/png.hpp"

#include <cerrno>

#include <png.h>

namespace heist::workloads {

void write_png(output_file& file, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> rgb) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  errno = 0;
  if (png_image_write_to_stdio(&image, file.stream(), 0, rgb.data(), 0, nullptr) == 0)
    file.fail(errno != 0 ? errno : ENOMEM);  // libpng may also lack memory
  file.commit();
}

}  // namespace heist::workloads
