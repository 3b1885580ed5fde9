// Writing a picture as a PNG file, through libpng's interface without longjmp.

#pragma once

#include <cstdint>
#include <span>

#include "workloads/files.hpp"

namespace heist::workloads {

// `rgb` holds three bytes a pixel, row after row. Throws what `file` throws when it can't be
// written whole. Commits it.
void write_png(output_file& file, std::size_t width, std::size_t height,
               std::span<const std::uint8_t> rgb);

}  // namespace heist::workloads
