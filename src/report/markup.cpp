#include "report/markup.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace heist::report {

namespace {

constexpr std::string_view instead = "\xEF\xBF\xBD";  // U+FFFD

// The length of the UTF-8 character that begins `text`; 0 where there is none. Table 3-7 of the
// Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i, unsigned least = 0x80, unsigned greatest = 0xBF) {
    return i < text.size() && byte(i) >= least && byte(i) <= greatest;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned least = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned greatest = lead == 0xED ? 0x9F : 0xBF;
    return continues(1, least, greatest) && continues(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned least = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned greatest = lead == 0xF4 ? 0x8F : 0xBF;
    return continues(1, least, greatest) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool control = first < ' ' && first != '\n' && first != '\t';
    if (length == 0 || control || first == 0x7F)
      result += instead;
    else if (first == '&')
      result += "&amp;";
    else if (first == '<')
      result += "&lt;";
    else if (first == '>')
      result += "&gt;";
    else if (first == '"')
      result += "&quot;";
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string json_text(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0)
      result += instead;
    else if (first == '"' || first == '\\')
      (result += '\\') += text.front();
    else if (first < ' ' || first == 0x7F)
      result += fmt::format("\\u{:04x}", first);
    else
      result += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result + '"';
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string figure(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "-" : value > 0 ? "inf" : "-inf";
  const double size = std::abs(value);
  if (size >= 1e15) return fmt::format("{:.3e}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  if (size >= 1000) return fmt::format("{:.1f}", value);
  if (size >= 0.001) return fmt::format("{:.4g}", value);
  return fmt::format("{:.3e}", value);
}

}  // namespace heist::report
