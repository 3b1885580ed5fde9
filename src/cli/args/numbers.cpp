#include "cli/args/numbers.hpp"

#include <charconv>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::cli {

std::uint64_t whole_number(std::string_view command, std::string_view option, std::string_view text,
                           std::uint64_t least, std::uint64_t greatest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > greatest)
    throw usage_error(fmt::format("{}: {} takes a whole number from {} to {}, not '{}'", command,
                                  option, least, greatest, text));
  return value;
}

double decimal_number(std::string_view command, std::string_view option, std::string_view text,
                      double least, double greatest, std::string_view what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least) ||
      value > greatest)
    throw usage_error(fmt::format("{}: {} takes {} from {:g} to {:g}, not '{}'", command, option,
                                  what, least, greatest, text));
  return value;
}

std::vector<std::uint32_t> number_list(std::string_view command, std::string_view option,
                                       std::string_view text, std::uint32_t greatest) {
  std::vector<std::uint32_t> result;
  for (const auto part : parts_of(text)) {
    const auto dots = part.find("..");
    auto value = whole_number(command, option, part.substr(0, dots), 1, greatest);
    if (dots != std::string_view::npos) {
      const auto last = whole_number(command, option, part.substr(dots + 2), 1, greatest);
      if (last < value)
        throw usage_error(fmt::format("{}: {} {}: ends before it begins", command, option, part));
      for (; value < last; value *= 2) result.push_back(static_cast<std::uint32_t>(value));
      value = last;
    }
    result.push_back(static_cast<std::uint32_t>(value));
  }
  return result;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace heist::cli
