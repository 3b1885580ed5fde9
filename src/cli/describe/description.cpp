#include "cli/describe/description.hpp"

#include <algorithm>

#include <heist/error.hpp>

#include "cli/args/suggest.hpp"

namespace heist::cli {

namespace {

value_kind kind_of(const option& one, const std::string& value) {
  if (one.is_flag()) return value_kind::nothing;
  if (!one.choices.empty()) return value_kind::names;
  if (value == "FOLDER") return value_kind::folder;
  const bool is_file = value == "FILE" || value == "file" || value == "files";
  return is_file ? value_kind::file : value_kind::text;
}

described_option describe_option(const option& one) {
  const auto& value = one.is_positional() ? one.names : one.value;
  return {one.all_names(), one.is_positional() || one.is_flag() ? "" : value, kind_of(one, value),
          one.choices, one.help};
}

bool is_among(const std::vector<described_option>& options, const described_option& one) {
  return std::any_of(options.begin(), options.end(), [&](const described_option& each) {
    return each.names == one.names && each.help == one.help;
  });
}

described_command describe_command(const arguments& from, const described_command* parent) {
  described_command result;
  result.path = parent == nullptr ? from.name() : parent->path + ' ' + from.name();
  result.help = from.help();
  result.footer = from.footer();
  if (parent == nullptr)
    result.options.push_back(
        {{"-h", "--help"}, "", value_kind::nothing, {}, "Print this help message and exit"});
  for (const auto& each : from.options()) {
    auto one = describe_option(each);
    if (each.is_positional()) {
      result.arguments.push_back(std::move(one));
    } else if (parent == nullptr || !is_among(parent->options, one)) {
      result.options.push_back(std::move(one));
    }
  }
  for (const auto& each : from.commands())
    if (!each.is_hidden()) result.commands.push_back(describe_command(each, &result));
  return result;
}

void add_all(const described_command& one, std::vector<const described_command*>& result) {
  result.push_back(&one);
  for (const auto& each : one.commands) add_all(each, result);
}

}  // namespace

described_command describe(const arguments& root) { return describe_command(root, nullptr); }

std::vector<const described_command*> all_commands(const described_command& heist) {
  std::vector<const described_command*> result;
  add_all(heist, result);
  return result;
}

std::string names_in_line(const described_option& option) {
  std::string names;
  for (const auto& each : option.choices) names += (names.empty() ? "" : " ") + each;
  return names;
}

std::string word_for_value(const described_option& option) {
  switch (option.kind) {
    case value_kind::nothing:
      return "";
    case value_kind::text:
      return "@text";
    case value_kind::file:
      return "@file";
    case value_kind::folder:
      return "@folder";
    case value_kind::names:
      break;
  }
  return names_in_line(option);
}

std::string quoted_for_shell(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string describe_as(std::string_view form, const arguments& root) {
  const auto heist = describe(root);
  if (form == "man") return man_page(heist);
  if (form == "bash") return bash_completion(heist);
  if (form == "zsh") return zsh_completion(heist);
  if (form == "fish") return fish_completion(heist);
  throw usage_error(unknown("form", std::string(form),
                            {description_forms.begin(), description_forms.end()},
                            "heist-describe FORM"));
}

}  // namespace heist::cli
