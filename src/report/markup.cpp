#include "report/markup.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "platform/utf8.hpp"

namespace heist::report {

namespace {

constexpr std::string_view instead = "\xEF\xBF\xBD";  // U+FFFD

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = platform::character_at(text);
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
