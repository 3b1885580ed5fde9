// Writing a picture as a PNG file, through libpng's interface without longjmp.

#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace heist::workloads {

// `rgb` holds three bytes a pixel, row after row. Throws resource_error that names `path` when the
// file can't be written whole. Closes nothing; flushes.
void write_png(std::FILE* file, const std::string& path, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> rgb);

}  // namespace heist::workloads
