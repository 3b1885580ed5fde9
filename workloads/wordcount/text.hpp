// The text that wordcount counts: files one after another, or a generated one.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heist::workloads {

// All files, a line end between two of them. Throws resource_error, naming the file, when one can't
// be read, has a zero byte (then it isn't text, and a table of its "words" would tell nobody
// anything), when all are empty, or when they don't fit the memory. An empty file among others is
// none.
[[nodiscard]] std::string read_texts(const std::vector<std::string>& paths);

// About `bytes` bytes of lines of made-up words, whose frequencies fall off as in real text: the
// k-th word about 1/k as often as the first (Zipf).
[[nodiscard]] std::string generate_text(std::size_t bytes, std::uint64_t seed);

}  // namespace heist::workloads
