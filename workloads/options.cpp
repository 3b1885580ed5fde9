#include "workloads/options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>

namespace heist::workloads {

namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr std::string_view byte_suffixes = "KMG";

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    const auto last = static_cast<char>(text.back() & ~0x20);  // makes a small letter a capital
    const auto suffix = byte_suffixes.find(last);
    if (suffix != std::string_view::npos) {
      shift = 10 * static_cast<unsigned>(suffix + 1);
      text.remove_suffix(1);
    }
  }
  const auto value = parse_integer(text);
  if (!value || *value < 0 || *value > INT64_MAX >> shift) return std::nullopt;
  return *value << shift;
}

// Writes the number with the largest suffix that leaves it whole.
std::string bytes_text(std::int64_t value) {
  std::size_t suffix = 0;
  while (suffix < byte_suffixes.size() && value != 0 && value % 1024 == 0) {
    value /= 1024;
    ++suffix;
  }
  return suffix == 0 ? fmt::to_string(value)
                     : fmt::format("{}{}", value, byte_suffixes[suffix - 1]);
}

// Joins the texts as in "a, b, c".
std::string listed(const std::vector<std::string>& choices) {
  std::string list;
  for (const auto& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  return list;
}

void check(std::string_view workload, const option_spec& spec, std::string_view text) {
  if (spec.kind == option_kind::integer) {
    const auto value = parse_integer(text);
    if (!value || *value < spec.min || *value > spec.max)
      throw usage_error(fmt::format("{} --{} must be an integer from {} to {}, not '{}'", workload,
                                    spec.name, spec.min, spec.max, text));
  }
  if (spec.kind == option_kind::bytes) {
    const auto value = parse_bytes(text);
    if (!value || *value < spec.min || *value > spec.max)
      throw usage_error(
          fmt::format("{} --{} must be a number of bytes from {} to {}, suffix K, M or G, not '{}'",
                      workload, spec.name, bytes_text(spec.min), bytes_text(spec.max), text));
  }
  if (spec.kind == option_kind::choice &&
      std::find(spec.choices.begin(), spec.choices.end(), text) == spec.choices.end())
    throw usage_error(fmt::format("{} --{} must be one of {}, not '{}'", workload, spec.name,
                                  listed(spec.choices), text));
}

}  // namespace

option_spec integer_option(std::string name, std::string help, std::int64_t default_value,
                           std::int64_t min, std::int64_t max) {
  return {std::move(name),
          std::move(help),
          option_kind::integer,
          std::to_string(default_value),
          min,
          max,
          {}};
}

option_spec choice_option(std::string name, std::string help, std::string default_value,
                          std::vector<std::string> choices) {
  return {std::move(name),   std::move(help), option_kind::choice, std::move(default_value), 0, 0,
          std::move(choices)};
}

option_spec path_option(std::string name, std::string help) {
  return {std::move(name), std::move(help), option_kind::path, {}, 0, 0, {}};
}

option_spec files_option(std::string name, std::string help) {
  return {std::move(name), std::move(help), option_kind::files, {}, 0, 0, {}};
}

option_values::option_values(std::string_view workload, std::vector<option_spec> specs)
    : workload_(workload), specs_(std::move(specs)) {
  for (const auto& spec : specs_) texts_.push_back(spec.default_value);
  is_given_.resize(specs_.size());
}

void option_values::set(std::string_view name, std::string_view text) {
  const auto index = index_of(name);
  check(workload_, specs_[index], text);
  texts_[index] = text;
  is_given_[index] = true;
}

void option_values::add_file(std::string_view path) {
  const auto takes_files = [](const option_spec& spec) { return spec.kind == option_kind::files; };
  if (std::none_of(specs_.begin(), specs_.end(), takes_files))
    throw usage_error(fmt::format("{} takes no files, but was given '{}'", workload_, path));
  files_.emplace_back(path);
}

void option_values::refuse(const std::vector<std::string_view>& names,
                           std::string_view beside) const {
  for (const auto name : names)
    if (is_given(name))
      throw usage_error(fmt::format("{} --{} doesn't go with {}", workload_, name, beside));
}

std::vector<option_text> option_values::texts() const {
  std::vector<option_text> all;
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].kind != option_kind::files)
      all.push_back({specs_[i].name, specs_[i].kind, texts_[i]});
  return all;
}

std::int64_t option_values::integer(std::string_view name) const {
  const auto index = index_of(name);
  const auto& text = texts_[index];
  return (specs_[index].kind == option_kind::bytes ? parse_bytes(text) : parse_integer(text))
      .value();
}

std::size_t option_values::size(std::string_view name) const {
  return static_cast<std::size_t>(integer(name));
}

const std::string& option_values::text(std::string_view name) const {
  return texts_[index_of(name)];
}

std::size_t option_values::index_of(std::string_view name) const {
  const auto named = [&](const option_spec& spec) {
    return spec.name == name && spec.kind != option_kind::files;
  };
  const auto found = std::find_if(specs_.begin(), specs_.end(), named);
  if (found == specs_.end())
    throw usage_error(fmt::format("{} has no option --{}", workload_, name));
  return static_cast<std::size_t>(found - specs_.begin());
}

}  // namespace heist::workloads
