// UTF-8, checked; and names that come from elsewhere, for terminals and messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace heist::inline v0::platform {

// The length of the UTF-8 character at the beginning of the text; 0: there is none.
inline std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

// The text with a question mark for each byte that isn't part of a printable character: a terminal
// acts on none of it. Of a text of more than `most` bytes the beginning, with "..." after it.
inline std::string printable(std::string_view text, std::size_t most = std::string_view::npos) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const std::size_t length = character_at(rest);
    const bool is_control = length == 1   ? rest[0] < ' ' || rest[0] == '\x7F'
                            : length == 2 ? rest[0] == '\xC2' && rest[1] < '\xA0'
                                          : false;
    if (at + std::max<std::size_t>(length, 1) > most) return result + "...";
    if (length == 0 || is_control)
      result += '?';
    else
      result += rest.substr(0, length);
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

}  // namespace heist::inline v0::platform
