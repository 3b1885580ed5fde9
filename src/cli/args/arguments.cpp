// CLI11 is a large header, so only this file includes it.
#include "cli/args/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "cli/args/bound_options.hpp"
#include "cli/args/suggest.hpp"

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

// ---- bound_options.hpp

namespace heist::cli {

using workloads::option_kind;
using workloads::option_spec;
using workloads::option_values;

namespace {

const char* type_name(option_kind kind) {
  if (kind == option_kind::bytes) return "BYTES";
  if (kind == option_kind::path) return "FILE";
  return kind == option_kind::integer ? "N" : "NAME";
}

}  // namespace

void bound_options::add(arguments& to, const std::vector<option_spec>& specs) {
  to_ = &to;
  for (const auto& spec : specs) {
    if (spec.kind == option_kind::files) {
      to.add({spec.name, &files_, spec.help});
      continue;
    }
    auto& one = given_.emplace_back(given{spec.name, {}});
    auto help = spec.help;
    if (!spec.default_value.empty()) help += fmt::format(" [{}]", spec.default_value);
    // The lab's commands take both names too.
    const auto* const prefix = spec.name == "workers" ? "-P,--" : "--";
    to.add({prefix + spec.name, &one.text, help, type_name(spec.kind), spec.choices});
  }
}

void bound_options::copy_to(option_values& values) const {
  for (const auto& one : given_)
    if (is_given(one)) values.set(one.name, one.text);
  for (const auto& file : files_) values.add_file(file);
}

std::string bound_options::first_given() const {
  for (const auto& one : given_)
    if (is_given(one)) return one.name;
  return {};
}

option_spec pool_option(std::string name, std::string help, std::int64_t min, std::int64_t max) {
  return {std::move(name), std::move(help), option_kind::integer, "", min, max, {}};
}

}  // namespace heist::cli

// ---- suggest.hpp

namespace heist::cli {

namespace {

// The optimal string alignment distance, computed row by row of the usual table.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& names) {
  std::string_view best;
  std::size_t least = 0;
  for (const auto name : names) {
    const auto steps = distance(wrong, name);
    const auto most = std::max<std::size_t>(1, name.size() / 3);
    if (steps > most || steps >= wrong.size() || (!best.empty() && steps >= least)) continue;
    best = name;
    least = steps;
  }
  return best;
}

std::string unknown(std::string_view what, std::string_view wrong,
                    const std::vector<std::string_view>& names, std::string_view where_to_look) {
  const auto nearest = nearest_name(wrong, names);
  if (!nearest.empty())
    return fmt::format("unknown {} '{}': did you mean '{}'?", what, wrong, nearest);
  return fmt::format("unknown {} '{}': not one of {}; see {}", what, wrong, fmt::join(names, ", "),
                     where_to_look);
}

void refuse_extras(std::vector<std::string> extras, std::string_view command) {
  std::erase(extras, "--");
  if (extras.empty()) return;
  const auto name = command.substr(command.rfind(' ') + 1);
  if (extras.front().starts_with('-'))
    throw usage_error(
        fmt::format("{} has no option {}: see heist {} --help", name, extras.front(), command));
  throw usage_error(fmt::format("{} takes no argument '{}'", name, extras.front()));
}

}  // namespace heist::cli
