#include "lab/catalog/spec.hpp"

#include <charconv>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::lab {

spec::spec(std::string_view text) : text_(text) {
  const auto colon = text.find(':');
  name_ = text.substr(0, colon);
  if (colon != std::string_view::npos) rest_ = text.substr(colon + 1);
}

std::vector<std::uint64_t> spec::arguments(const std::vector<argument_spec>& expected) const {
  std::vector<std::uint64_t> values;
  const bool has_arguments = text_.size() > name_.size();
  std::string_view left = rest_;
  bool more = has_arguments;
  for (const auto& argument : expected) {
    if (!more) {
      values.push_back(argument.otherwise);
      continue;
    }
    const auto comma = left.find(',');
    const auto word = left.substr(0, comma);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc::invalid_argument || end != word.data() + word.size())
      throw usage_error(
          fmt::format("{}: {} is a whole number, not '{}'", text_, argument.name, word));
    if (error != std::errc() || value < argument.least || value > argument.greatest)
      throw usage_error(fmt::format("{}: {} is from {} to {}, not {}", text_, argument.name,
                                    argument.least, argument.greatest, word));
    values.push_back(value);
    more = comma != std::string_view::npos;
    left = more ? left.substr(comma + 1) : std::string_view();
  }
  if (more)
    throw usage_error(expected.empty() ? fmt::format("{}: {} takes no arguments", text_, name_)
                                       : fmt::format("{}: too many arguments; it is {}", text_,
                                                     usage(name_, expected)));
  return values;
}

std::string usage(std::string_view name, const std::vector<argument_spec>& arguments) {
  std::string text(name);
  char separator = ':';
  for (const auto& argument : arguments) {
    text += separator;
    text += argument.name;
    separator = ',';
  }
  return text;
}

}  // namespace heist::lab
