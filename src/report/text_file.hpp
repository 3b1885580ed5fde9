#pragma once

#include <cstddef>
#include <string>

namespace heist::report {

// The content of a file. Of one that is longer than `most` bytes, a little more than that, so that
// the caller sees that it is too long. Throws resource_error, which names the file, where it can't
// be read.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t most);

}  // namespace heist::report
