// A hash table from words to their numbers of occurrences. The words are views into the text, which
// must outlive the table, so counting a word that was seen before allocates nothing. Open
// addressing with linear probes, at most two thirds full; a slot keeps its word's hash, so that
// growing and merging never read the text again.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heist::workloads {

class word_table {
 public:
  struct entry {
    std::string_view word;
    std::uint64_t hash = 0;
    std::uint64_t count = 0;  // 0: the slot is free
  };

  // Throws resource_error if a large table has to grow and there is not enough memory for it.
  void add(std::string_view word, std::uint64_t hash, std::uint64_t count);
  void merge(const word_table& other);

  [[nodiscard]] std::uint64_t distinct() const { return used_; }
  [[nodiscard]] std::uint64_t total() const;

  // The most frequent words, at most k; equally frequent ones in alphabetical order.
  [[nodiscard]] std::vector<entry> most_frequent(std::size_t k) const;

  // A checksum over all words and counts; it does not depend on the order in which they were added.
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  [[nodiscard]] entry& slot_for(std::string_view word, std::uint64_t hash);
  void grow();

  std::vector<entry> slots_;  // a power of two of them, or none
  std::size_t used_ = 0;
};

// Hashes the word's bytes, eight at a time.
[[nodiscard]] std::uint64_t hash_of_word(std::string_view word);

}  // namespace heist::workloads
