#include "workloads/wordcount/word_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "workloads/files.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/wordcount/text.hpp"

namespace heist::workloads {

namespace {

constexpr std::size_t first_slots = 1024;

// Asking the system costs some 50 us, so it is done only before a table takes a significant amount.
constexpr std::size_t checked_table_bytes = std::size_t{16} << 20;

}  // namespace

std::uint64_t hash_of_word(std::string_view word) {
  std::uint64_t hash = word.size() * 0x9e3779b97f4a7c15;
  const char* at = word.data();
  std::size_t left = word.size();
  for (; left > 8; at += 8, left -= 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, 8);
    hash = (std::rotl(hash, 23) ^ eight) * 0x9fb21c651e98df25;
  }
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < left; ++i) rest = rest << 8 | static_cast<unsigned char>(at[i]);
  hash = (std::rotl(hash, 23) ^ rest) * 0x9fb21c651e98df25;
  return hash ^ (hash >> 32);
}

void word_table::add(std::string_view word, std::uint64_t hash, std::uint64_t count) {
  if ((used_ + 1) * 3 > slots_.size() * 2) grow();
  auto& slot = slot_for(word, hash);
  if (slot.count == 0) {
    slot.word = word;
    slot.hash = hash;
    ++used_;
  }
  slot.count += count;
}

void word_table::merge(const word_table& other) {
  for (const auto& each : other.slots_)
    if (each.count != 0) add(each.word, each.hash, each.count);
}

word_table::entry& word_table::slot_for(std::string_view word, std::uint64_t hash) {
  const auto mask = slots_.size() - 1;
  auto at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at].count != 0 && (slots_[at].hash != hash || slots_[at].word != word))
    at = (at + 1) & mask;
  return slots_[at];
}

void word_table::grow() {
  const auto size = std::max(first_slots, slots_.size() * 2);
  const auto bytes = size * sizeof(entry);
  if (bytes >= checked_table_bytes) require_memory("wordcount's table of distinct words", bytes);
  const auto old = std::exchange(slots_, std::vector<entry>(size));
  for (const auto& each : old)
    if (each.count != 0) slot_for(each.word, each.hash) = each;
}

std::uint64_t word_table::total() const {
  std::uint64_t sum = 0;
  for (const auto& each : slots_) sum += each.count;
  return sum;
}

std::vector<word_table::entry> word_table::most_frequent(std::size_t k) const {
  std::vector<entry> entries;
  for (const auto& each : slots_)
    if (each.count != 0) entries.push_back(each);
  const auto wanted = entries.begin() + static_cast<std::ptrdiff_t>(std::min(k, entries.size()));
  const auto before = [](const entry& a, const entry& b) {
    return a.count != b.count ? a.count > b.count : a.word < b.word;
  };
  std::partial_sort(entries.begin(), wanted, entries.end(), before);
  entries.erase(wanted, entries.end());
  return entries;
}

std::uint64_t word_table::checksum() const {
  std::uint64_t sum = used_;
  for (const auto& each : slots_)
    if (each.count != 0) sum += mixed(each.hash ^ mixed(each.count));
  return sum;
}

}  // namespace heist::workloads

// ---- text.hpp

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
