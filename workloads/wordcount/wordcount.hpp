// Counts the words of a text: cuts it in two between words, counts the halves at the same time, and
// merges the two tables. This is a reduction whose partial results are large, so that merging takes
// time too.
//
// A word is a run of ASCII letters and digits and of bytes above 127, so words of any language in
// UTF-8 stay whole; everything else separates. Upper and lower case are different words.

#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "workloads/forkers.hpp"
#include "workloads/wordcount/word_table.hpp"

namespace heist::workloads {

inline constexpr auto belongs_to_word = [] {
  std::array<bool, 256> belongs{};
  for (unsigned byte = 0; byte < 256; ++byte)
    belongs[byte] = byte > 127 || (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                    (byte >= 'a' && byte <= 'z');
  return belongs;
}();

inline bool is_in_word(char byte) { return belongs_to_word[static_cast<unsigned char>(byte)]; }

inline word_table count_words_serially(std::string_view text) {
  word_table table;
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && !is_in_word(text[at])) ++at;
    if (at == text.size()) return table;
    const auto first = at;
    while (at < text.size() && is_in_word(text[at])) ++at;
    const auto word = text.substr(first, at - first);
    table.add(word, hash_of_word(word), 1);
  }
}

// The first position from `at` on where the text can be cut without cutting a word.
inline std::size_t cut_after(std::string_view text, std::size_t at) {
  while (at < text.size() && is_in_word(text[at])) ++at;
  return at;
}

template <class Fork>
word_table count_words(std::string_view text, std::size_t cutoff, Fork fork) {
  const auto middle = cut_after(text, text.size() / 2);
  if (text.size() <= cutoff || middle == text.size()) return count_words_serially(text);
  auto [left, right] = fork([=] { return count_words(text.substr(0, middle), cutoff, fork); },
                            [=] { return count_words(text.substr(middle), cutoff, fork); });
  if (left.distinct() < right.distinct()) std::swap(left, right);
  left.merge(right);
  return std::move(left);
}

}  // namespace heist::workloads
