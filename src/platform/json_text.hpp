// Text as a string of JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "platform/utf8.hpp"

namespace heist::inline v0::platform {

// The text with its quotes. What isn't UTF-8 becomes U+FFFD, byte by byte; no '<' is left, so it
// may stand within HTML too.
inline std::string json_text(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string to = "\"";
  while (!text.empty()) {
    const std::size_t length = character_at(text);
    const char c = text.front();
    if (length == 0) {
      to += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      to += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '<') {
      to += {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
    } else {
      to += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return to += '"';
}

}  // namespace heist::inline v0::platform
