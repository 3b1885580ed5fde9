// A value in a JSON file that somebody may have written by hand. What it isn't is refused with the
// file's name and the value's path, as "rows[2].name".
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "platform/utf8.hpp"
#include "report/text_position.hpp"

namespace heist::report {

// Why a text is no JSON, without the place that the parser names: text_position names it better.
inline std::string parser_complaint(std::string message) {
  if (const auto end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
  if (message.starts_with("parse error at line "))
    if (const auto colon = message.find(": "); colon != std::string::npos)
      message.erase(0, colon + 2);
  return "not JSON: " + platform::printable(message, 160);
}

// Throws usage_error for what isn't JSON, is nested too deeply, or has a field twice.
inline nlohmann::ordered_json parse_json_file(const text_position& file, int deepest = 32) {
  using json = nlohmann::ordered_json;
  std::vector<std::set<std::string>> open;
  const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
    using kind = json::parse_event_t;
    if (depth >= deepest) file.fail(fmt::format("more than {} objects in each other", deepest));
    if (event == kind::object_start) open.emplace_back();
    if (event == kind::object_end) open.pop_back();
    if (event == kind::key && !open.back().insert(parsed.get<std::string>()).second)
      file.fail(fmt::format("field '{}' stands twice",
                            platform::printable(parsed.get<std::string>(), 60)));
    return true;
  };
  try {
    return json::parse(file.text(), check);
  } catch (const json::parse_error& error) {
    file.fail(error.byte == 0 ? 0 : error.byte - 1, parser_complaint(error.what()));
  } catch (const json::out_of_range&) {
    file.fail("a number is too large");
  }
}

class json_part {
 public:
  using json = nlohmann::ordered_json;

  json_part(const json& value, std::string path, const text_position& file)
      : value_(value), path_(std::move(path)), file_(file) {}

  [[noreturn]] void fail(std::string_view message) const { file_.fail(message); }

  [[nodiscard]] bool has(const char* name) const { return value_.contains(name); }
  [[nodiscard]] bool is_null() const { return value_.is_null(); }
  [[nodiscard]] bool is_object() const { return value_.is_object(); }

  [[nodiscard]] json_part operator[](const char* name) const {
    if (!is_object()) refuse("an object");
    const auto found = value_.find(name);
    std::string path = path_of(name);
    if (found == value_.end()) fail(fmt::format("the field '{}' is missing", path));
    return {*found, std::move(path), file_};
  }
  // Refuses every other field.
  void has_only(std::initializer_list<std::string_view> known) const {
    if (!is_object()) refuse("an object");
    for (const auto& [name, value] : value_.items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail(fmt::format("unknown field '{}'", path_of(platform::printable(name, 60))));
  }
  [[nodiscard]] std::vector<json_part> elements() const {
    if (!value_.is_array()) refuse("an array");
    std::vector<json_part> result;
    for (const auto& each : value_)
      result.emplace_back(each, fmt::format("{}[{}]", path_, result.size()), file_);
    return result;
  }
  // The fields of an object, whatever their names.
  [[nodiscard]] std::vector<std::pair<std::string, json_part>> fields() const {
    if (!is_object()) refuse("an object");
    std::vector<std::pair<std::string, json_part>> result;
    for (const auto& [name, value] : value_.items())
      result.emplace_back(name, json_part(value, path_of(name), file_));
    return result;
  }

  [[nodiscard]] std::string text() const {
    if (!value_.is_string()) refuse("a text");
    return value_.get<std::string>();
  }
  void must_be(std::string_view wanted) const {
    if (!value_.is_string() || value_.get_ref<const std::string&>() != wanted)
      refuse(fmt::format("'{}'", wanted));
  }
  // The place of the text among the names.
  [[nodiscard]] std::size_t one_of(std::span<const std::string_view> names) const {
    const auto found = std::find(names.begin(), names.end(), text());
    if (found == names.end()) refuse(fmt::format("one of {}", fmt::join(names, ", ")));
    return static_cast<std::size_t>(found - names.begin());
  }
  [[nodiscard]] bool truth() const {
    if (!value_.is_boolean()) refuse("true or false");
    return value_.get<bool>();
  }
  [[nodiscard]] bool is_whole() const { return value_.is_number_integer(); }
  [[nodiscard]] std::int64_t whole() const {
    if (!is_whole()) refuse("a whole number");
    return value_.get<std::int64_t>();
  }
  // nlohmann-json writes infinities and NaN as null.
  [[nodiscard]] double number() const {
    if (value_.is_null()) return std::numeric_limits<double>::quiet_NaN();
    if (!value_.is_number()) refuse("a number");
    return value_.get<double>();
  }
  [[nodiscard]] double number(double least, double most) const {
    const auto wanted = [&] { return fmt::format("a number from {:g} to {:g}", least, most); };
    if (!value_.is_number()) refuse(wanted());
    const auto given = value_.get<double>();
    if (!(given >= least && given <= most)) refuse(wanted());
    return given;
  }
  [[nodiscard]] std::optional<double> number_if_any(const char* name) const {
    return has(name) ? std::optional((*this)[name].number()) : std::nullopt;
  }
  template <class Integer>
  [[nodiscard]] Integer count() const {
    if (!value_.is_number_unsigned() ||
        value_.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<Integer>::max()})
      refuse(fmt::format("a whole number from 0 to {}", std::numeric_limits<Integer>::max()));
    return value_.get<Integer>();
  }

  [[noreturn]] void refuse(std::string_view wanted) const {
    const auto found = value_.dump(-1, ' ', true, json::error_handler_t::replace);
    fail(fmt::format("{} is {}, not {}", path_.empty() ? "the whole" : path_, wanted,
                     platform::printable(found, 60)));
  }

 private:
  [[nodiscard]] std::string path_of(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

  const json& value_;
  std::string path_;
  const text_position& file_;
};

}  // namespace heist::report
