// Completions for bash. They need nothing of the package bash-completion, except for the arguments
// of programs that `heist tbb` and `heist check` start.
#include <fmt/format.h>

#include "cli/describe/description.hpp"

namespace heist::cli {

namespace {

// Bash takes '=' for the end of a word, so --deque=abp arrives as three words.
constexpr const char* logic = R"bash(
# Completes the program that heist tbb or heist check starts, whose place among the words is $1.
_heist_program() {
  if ((COMP_CWORD == $1)); then
    mapfile -t COMPREPLY < <(compgen -A command -- "$2")
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  else
    mapfile -t COMPREPLY < <(compgen -A file -- "$2")
  fi
}

_heist() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
  local where=heist i=1 word value helps=0
  COMPREPLY=()
  if [[ $current == = ]]; then
    current=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi

  if [[ ${COMP_WORDS[1]} == help ]] && ((COMP_CWORD > 1)); then
    helps=1 i=2
  fi
  for (( ; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -* ]]; then
      value=$(_heist_values "$where" "$word")
      [[ -z $value || ${COMP_WORDS[i + 1]} == = ]] || ((++i))
    elif [[ $where == 'heist tbb' || $where == 'heist check' ]]; then
      _heist_program "$i" "$current"
      return
    elif [[ " $(_heist_commands "$where") " == *" $word "* ]]; then
      where+=" $word"
    fi
  done
  if ((helps)); then
    mapfile -t COMPREPLY < <(compgen -W "$(_heist_commands "$where")" -- "$current")
    return
  fi

  value=
  [[ $option == -* ]] && value=$(_heist_values "$where" "$option")
  case "$value" in
    @text) return ;;
    @file) mapfile -t COMPREPLY < <(compgen -A file -- "$current") ;;
    @folder) mapfile -t COMPREPLY < <(compgen -A directory -- "$current") ;;
    '')
      if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_heist_options "$where")" -- "$current")
      elif [[ $where == 'heist tbb' || $where == 'heist check' ]]; then
        _heist_program "$COMP_CWORD" "$current"
        return
      elif [[ $(_heist_arguments "$where") == @file ]]; then
        mapfile -t COMPREPLY < <(compgen -A file -- "$current")
      else
        mapfile -t COMPREPLY < <(compgen -W "$(_heist_commands "$where")" -- "$current")
      fi
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$value" -- "$current") ;;
  esac
  [[ $value != @f* && $(_heist_arguments "$where") != @file ]] || compopt -o filenames 2>/dev/null
}
complete -F _heist heist
)bash";

std::string case_line(std::string_view pattern, std::string_view text) {
  return fmt::format("    {}) echo {} ;;\n", pattern, quoted_for_shell(text));
}

// A function that prints the words of a command: case_of takes a command and returns them.
template <class CaseOf>
std::string words_function(std::string_view name, const described_command& heist, CaseOf case_of) {
  std::string cases;
  for (const auto* each : all_commands(heist))
    if (const std::string words = case_of(*each); !words.empty())
      cases += case_line(quoted_for_shell(each->path), words);
  return fmt::format("{}() {{\n  case \"$1\" in\n{}  esac\n}}\n\n", name, cases);
}

std::string commands_of(const described_command& command) {
  std::string words;
  for (const auto& each : command.commands) words += (words.empty() ? "" : " ") + each.name();
  return words;
}

void add_options(const described_command& command, std::string& words) {
  for (const auto& option : command.options)
    for (const auto& name : option.names) words += (words.empty() ? "" : " ") + name;
}

// With those of the commands around it, which are taken too.
std::string options_cases(const described_command& command, const std::string& inherited) {
  std::string words = inherited;
  add_options(command, words);
  std::string cases = case_line(quoted_for_shell(command.path), words);
  const bool is_heist = command.path == "heist";
  for (const auto& each : command.commands)
    cases += options_cases(each, is_heist ? "-h --help" : words);
  return cases;
}

std::string value_cases(const described_command& command) {
  std::string cases;
  for (const auto* each : all_commands(command))
    for (const auto& option : each->options) {
      if (option.kind == value_kind::nothing) continue;
      std::string pattern;  // of the command itself, and of those below it
      for (const auto& name : option.names)
        pattern += fmt::format("{0}'{1} {2}' | '{1} '*' {2}'", pattern.empty() ? "" : " | ",
                               each->path, name);
      cases += case_line(pattern, word_for_value(option));
    }
  return cases;
}

}  // namespace

std::string bash_completion(const described_command& heist) {
  std::string text =
      "# bash completion for heist. Made by `heist-describe bash` from the command's own help.\n\n";
  text += words_function("_heist_commands", heist, commands_of);
  text += words_function("_heist_arguments", heist, [](const described_command& command) {
    return command.arguments.empty() ? std::string() : word_for_value(command.arguments.front());
  });
  text += fmt::format("_heist_options() {{\n  case \"$1\" in\n{}  esac\n}}\n\n",
                      options_cases(heist, ""));
  text += "# What follows an option, $2, of a command, $1: names, or @ and what it is.\n";
  text +=
      fmt::format("_heist_values() {{\n  case \"$1 $2\" in\n{}  esac\n}}\n", value_cases(heist));
  return text + logic;
}

}  // namespace heist::cli
