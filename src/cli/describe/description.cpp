#include "cli/describe/description.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <heist/error.hpp>

#include "cli/args/suggest.hpp"

namespace heist::cli {

namespace {

constexpr const char* choices_note = "choices";

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const auto end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::vector<std::string> choices_of(CLI::Option& option) {
  CLI::Validator* note = nullptr;
  try {
    note = option.get_validator(choices_note);
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
  const auto text = note->active(true).get_description();
  note->active(false);
  return words_of(text);
}

value_kind kind_of(const CLI::Option& option, const std::string& value, bool has_choices) {
  if (option.get_items_expected_max() == 0) return value_kind::nothing;
  if (has_choices) return value_kind::names;
  if (value == "FOLDER") return value_kind::folder;
  const bool is_file = value == "FILE" || value == "file" || value == "files";
  return is_file ? value_kind::file : value_kind::text;
}

described_option describe_option(CLI::Option& option) {
  described_option result;
  result.help = option.get_description();
  result.choices = choices_of(option);
  if (option.get_positional()) {
    result.names = {option.get_name()};
    result.kind = kind_of(option, option.get_name(), !result.choices.empty());
    return result;
  }
  for (const auto& each : option.get_snames()) result.names.push_back("-" + each);
  for (const auto& each : option.get_lnames()) result.names.push_back("--" + each);
  result.value = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  if (result.value == "TEXT") result.value.clear();
  result.kind = kind_of(option, result.value, !result.choices.empty());
  return result;
}

bool is_among(const std::vector<described_option>& options, const described_option& one) {
  return std::any_of(options.begin(), options.end(), [&](const described_option& each) {
    return each.names == one.names && each.help == one.help;
  });
}

described_command describe_command(CLI::App& app, const described_command* parent) {
  described_command result;
  result.path = parent == nullptr ? app.get_name() : parent->path + ' ' + app.get_name();
  result.help = app.get_description();
  result.footer = app.get_footer();
  const auto known =
      parent == nullptr ? std::vector<described_option>{} : std::vector(parent->options);
  for (auto* const each : app.get_options([](const CLI::Option*) { return true; })) {
    if (each->get_group().empty()) continue;
    auto option = describe_option(*each);
    if (each->get_positional()) {
      result.arguments.push_back(std::move(option));
    } else if (!is_among(known, option)) {
      result.options.push_back(std::move(option));
    }
  }
  for (auto* const each : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!each->get_group().empty()) result.commands.push_back(describe_command(*each, &result));
  return result;
}

void add_all(const described_command& one, std::vector<const described_command*>& result) {
  result.push_back(&one);
  for (const auto& each : one.commands) add_all(each, result);
}

}  // namespace

void note_choices(CLI::Option& option, const std::vector<std::string>& names) {
  std::string joined;
  for (const auto& each : names) joined += (joined.empty() ? "" : " ") + each;
  const auto accept = [](std::string&) { return std::string(); };
  option.check(CLI::Validator(accept, joined, choices_note).active(false));
}

void note_choices(CLI::App& app, const std::string& option, const std::vector<std::string>& names) {
  note_choices(*app.get_option(option), names);
}

described_command describe(CLI::App& app) { return describe_command(app, nullptr); }

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

std::string describe_as(std::string_view form, CLI::App& app) {
  const auto heist = describe(app);
  if (form == "man") return man_page(heist);
  if (form == "bash") return bash_completion(heist);
  if (form == "zsh") return zsh_completion(heist);
  if (form == "fish") return fish_completion(heist);
  throw usage_error(unknown("form", std::string(form),
                            {description_forms.begin(), description_forms.end()},
                            "heist describe FORM"));
}

}  // namespace heist::cli
