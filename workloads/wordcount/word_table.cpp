#include "workloads/wordcount/word_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"

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
