// CLI11 is a large header, so only this file includes it.
#include "cli/args/arguments.hpp"

#include <algorithm>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include <heist/error.hpp>

namespace heist::cli {

std::vector<std::string> option::all_names() const {
  std::vector<std::string> all;
  std::size_t begin = 0;
  while (begin < names.size()) {
    const auto end = std::min(names.find(',', begin), names.size());
    all.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

void arguments::add_text(std::string names, std::string& text, const std::string& help,
                         std::vector<std::string> choices) {
  const auto initially = text.empty() ? std::string() : " [" + text + ']';
  add({std::move(names), &text, help + initially, help.starts_with("a file") ? "FILE" : "",
       std::move(choices)});
}

arguments* arguments::command(std::string_view name) {
  const auto found = std::find_if(commands_.begin(), commands_.end(),
                                  [&](const arguments& each) { return each.name_ == name; });
  return found == commands_.end() ? nullptr : &*found;
}

std::vector<std::string_view> arguments::command_names() const {
  std::vector<std::string_view> names;
  for (const auto& each : commands_)
    if (!each.is_hidden_) names.push_back(each.name_);
  return names;
}

bool arguments::is_given(std::string_view option) const {
  for (const auto& each : options_) {
    const auto names = each.all_names();
    if (std::find(names.begin(), names.end(), option) == names.end()) continue;
    return std::find(given_.begin(), given_.end(), each.names) != given_.end();
  }
  throw std::logic_error("no option " + std::string(option));
}

std::vector<std::string> arguments::extras() const {
  std::vector<std::string> all = own_extras_;
  for (const auto& each : commands_) {
    const auto below = each.extras();
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

namespace {

// Turns CLI11's messages, as "--n: 1 required N missing", into ours of one line.
usage_error translate(const CLI::Error& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return usage_error(text.substr(0, text.find(':')) + " needs a value");
  std::replace(text.begin(), text.end(), '\n', ' ');
  return usage_error(text);
}

CLI::Option* add(CLI::App& app, const option& one) {
  if (std::holds_alternative<std::monostate>(one.to)) return app.add_flag(one.names, one.help);
  if (auto* const* flag = std::get_if<bool*>(&one.to))
    return app.add_flag(one.names, **flag, one.help);
  if (auto* const* list = std::get_if<std::vector<std::string>*>(&one.to)) {
    auto* const added = app.add_option(one.names, **list, one.help);
    // A list of options takes one value each time, and those in their places all that is left.
    if (!one.is_positional()) added->allow_extra_args(false)->type_name(one.value);
    if (one.separator != '\0') added->delimiter(one.separator);
    return added;
  }
  std::string& text = *std::get<std::string*>(one.to);
  if (!one.implied.empty())
    return app.add_flag(one.names + '{' + one.implied + '}', text, one.help);
  auto* const added = app.add_option(one.names, text, one.help)->take_last();
  if (!one.is_positional()) added->type_name(one.value);
  return added;
}

}  // namespace

// A tree of CLI11's, made of a tree of arguments, and what it found put back.
class command_line_reader {
 public:
  explicit command_line_reader(arguments& from) : app_(from.help_, from.name_) {
    app_.allow_extras();  // the commands below take it over
    fill(app_, from);
  }

  std::optional<std::string> read(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    try {
      app_.parse(std::move(words));
    } catch (const CLI::CallForHelp&) {
      return app_.help();
    } catch (const CLI::Error& error) {
      throw translate(error);
    }
    for (const auto& each : commands_) {
      each.to->is_given_ = each.app->parsed() || each.app == &app_;
      each.to->own_extras_ = each.app->remaining();
      std::erase(each.to->own_extras_, "--");
    }
    for (const auto& each : options_)
      if (each.option->count() > 0) each.to->given_.push_back(each.names);
    return std::nullopt;
  }

 private:
  struct filled_command {
    CLI::App* app;
    arguments* to;
  };
  struct filled_option {
    CLI::Option* option;
    arguments* to;
    std::string names;
  };

  void fill(CLI::App& app, arguments& from) {
    commands_.push_back({&app, &from});
    if (!from.footer_.empty()) app.footer(from.footer_);  // the commands below take it over
    for (const auto& each : from.options_) options_.push_back({add(app, each), &from, each.names});
    for (auto& each : from.commands_) {
      auto* const below = app.add_subcommand(each.name_, each.help_);
      if (each.is_hidden_) below->group("");
      fill(*below, each);
    }
    // A second name is a file, or one argument too many.
    if (!from.commands_.empty()) app.require_subcommand(0, 1);
  }

  CLI::App app_;
  std::vector<filled_command> commands_;
  std::vector<filled_option> options_;
};

std::optional<std::string> arguments::read(const std::vector<std::string>& words) {
  return command_line_reader(*this).read(words);
}

}  // namespace heist::cli
