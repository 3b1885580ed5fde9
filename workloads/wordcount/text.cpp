#include "workloads/wordcount/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "workloads/files.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"

namespace heist::workloads {

namespace {

// The tables need memory besides the text. For text written by people they are smaller than the
// text; this is checked again when they grow.
constexpr std::uint64_t bytes_per_text_byte = 2;

void append_file(std::string& text, const std::string& path) {
  const auto file = open_for_reading(path);
  const auto what = fmt::format("counting the words of '{}'", path);
  require_memory(what, saturating_product(size_hint(file.get(), path), bytes_per_text_byte));
  std::size_t offset = 0;
  read_all(file.get(), path, [&](std::span<const char> piece) {
    if (const void* zero = std::memchr(piece.data(), 0, piece.size())) {
      const auto at = static_cast<const char*>(zero) - piece.data();
      throw resource_error(fmt::format("'{}' is not a text: byte {} is zero", path,
                                       offset + static_cast<std::size_t>(at)));
    }
    if (text.size() + piece.size() > text.capacity())  // a string doubles when it grows
      require_memory(what, text.capacity() * bytes_per_text_byte + piece.size());
    text.append(piece.data(), piece.size());
    offset += piece.size();
  });
}

}  // namespace

std::string read_texts(const std::vector<std::string>& paths) {
  std::string text;
  for (const auto& path : paths) {
    if (!text.empty()) text += '\n';
    append_file(text, path);
  }
  if (text.find_first_not_of('\n') != std::string::npos) return text;
  throw resource_error(
      paths.size() == 1 ? fmt::format("'{}' is empty: no words to count", paths.front())
                        : fmt::format("the {} files are empty: no words to count", paths.size()));
}

std::string generate_text(std::size_t bytes, std::uint64_t seed) {
  constexpr double vocabulary = 50'000;
  std::string text;
  text.reserve(bytes + 32);
  for (std::uint64_t i = 0; text.size() < bytes; ++i) {
    // The inverse of the logarithm's distribution gives the rank: P(rank > r) falls like log(r).
    const auto uniform = static_cast<double>(random_at(seed, i) >> 11) * 0x1p-53;
    const auto rank = static_cast<std::uint64_t>(std::pow(vocabulary, uniform));
    auto letters = mixed(rank);
    const auto length = 1 + std::min<std::uint64_t>(2 * std::bit_width(rank) / 3, 9);
    for (std::uint64_t j = 0; j < length; ++j, letters /= 26)
      text += static_cast<char>('a' + letters % 26);
    text += i % 12 == 11 ? '\n' : ' ';
  }
  return text;
}

}  // namespace heist::workloads
