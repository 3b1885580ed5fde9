#include "workloads/mandelbrot/png.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <png.h>

#include <heist/error.hpp>

namespace heist::workloads {

void write_png(std::FILE* file, const std::string& path, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> rgb) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  errno = 0;
  const bool written = png_image_write_to_stdio(&image, file, 0, rgb.data(), 0, nullptr) != 0;
  if (written && std::fflush(file) == 0) return;
  throw resource_error(fmt::format("cannot write '{}': {}", path,
                                   errno != 0 ? std::strerror(errno) : image.message));
}

}  // namespace heist::workloads
