// Writes a picture as a PNG file, through libpng's interface without longjmp.

#pragma once

#include <cstdint>
#include <span>

#include "workloads/files.hpp"

namespace heist::workloads {

// `rgb` holds three bytes a pixel, row after row. Commits the file, or throws what `file` throws if
// it cannot be written completely.
void write_png(output_file& file, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> rgb);

}  // namespace heist::workloads
