// The text that wordcount counts consists of files one after another, or is generated.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heist::workloads {

// Reads all files, with a line end between two of them. Throws resource_error that names the file
// if one cannot be read or has a zero byte (then it is not text, and a table of its "words" would
// be meaningless), if all files are empty, or if they do not fit the memory. An empty file among
// others is no error.
[[nodiscard]] std::string read_texts(const std::vector<std::string>& paths);

// Makes about `bytes` bytes of lines of made-up words with frequencies like those of real text: the
// k-th word occurs about 1/k as often as the first (Zipf).
[[nodiscard]] std::string generate_text(std::size_t bytes, std::uint64_t seed);

}  // namespace heist::workloads
