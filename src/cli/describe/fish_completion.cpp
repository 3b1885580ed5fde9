// Completions for fish, with a line of help beside each.
#include <set>

#include <fmt/format.h>

#include "cli/describe/description.hpp"

namespace heist::cli {

namespace {

constexpr const char* logic = R"fish(
# The command that has been typed so far: heist run fib.
function __heist_where
    set -l words (commandline -opc)
    set -l where heist
    set -l skips 0
    for word in $words[2..-1]
        if test $skips = 1
            set skips 0
        else if string match -q -- '-*' $word
            contains -- $word $__heist_valued; and set skips 1
        else if contains -- "$where $word" $__heist_commands
            set where "$where $word"
        end
    end
    echo $where
end

# Whether that is this command; and whether it is this one or one below it.
function __heist_at
    test (__heist_where) = "$argv"
end
function __heist_in
    string match -q -- "$argv *" (__heist_where)" "
end

complete -c heist -f
complete -c heist -n 'not __heist_at heist' -s h -l help -d 'its help'
complete -c heist -n '__heist_at heist tbb; or __heist_at heist check' -a '(__fish_complete_subcommand --fcs-skip=2)'
)fish";

std::string quoted_for_fish(std::string_view text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "'";
}

std::string line(std::string_view condition, std::string_view rest, std::string_view help) {
  return fmt::format("complete -c heist -n {} {} -d {}\n", quoted_for_fish(condition), rest,
                     quoted_for_fish(help));
}

std::string what_follows(const described_option& option) {
  switch (option.kind) {
    case value_kind::nothing:
      return "";
    case value_kind::text:
      return " -x";
    case value_kind::file:
      return " -r -F";
    case value_kind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case value_kind::names:
      break;
  }
  return fmt::format(" -x -a {}", quoted_for_fish(names_in_line(option)));
}

std::string option_line(const described_command& command, const described_option& option) {
  std::string names;
  for (const auto& each : option.names)
    names += each.starts_with("--") ? " -l " + each.substr(2) : " -s " + each.substr(1);
  const bool is_heist = command.path == "heist";
  return line(fmt::format("{} {}", is_heist ? "__heist_at" : "__heist_in", command.path),
              names.substr(1) + what_follows(option), option.help);
}

std::string known_words(const described_command& heist) {
  std::string commands;
  std::set<std::string> valued;
  for (const auto* each : all_commands(heist)) {
    if (each != &heist) commands += ' ' + quoted_for_fish(each->path);
    for (const auto& option : each->options)
      for (const auto& name : option.names)
        if (option.kind != value_kind::nothing) valued.insert(name);
  }
  return fmt::format("set -g __heist_commands{}\nset -g __heist_valued {}\n", commands,
                     fmt::join(valued, " "));
}

}  // namespace

std::string fish_completion(const described_command& heist) {
  std::string text = "# Made by `heist-describe fish` from the command's own help.\n\n";
  text += known_words(heist) + logic;
  for (const auto* each : all_commands(heist)) {
    for (const auto& command : each->commands)
      text +=
          line("__heist_at " + each->path, "-a " + quoted_for_fish(command.name()), command.help);
    for (const auto& option : each->options) text += option_line(*each, option);
    if (!each->arguments.empty() && each->arguments.front().kind == value_kind::file)
      text +=
          fmt::format("complete -c heist -n {} -F\n", quoted_for_fish("__heist_at " + each->path));
  }
  return text;
}

}  // namespace heist::cli
