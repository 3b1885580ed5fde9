// Completions for zsh, with a line of help beside each.
#include <fmt/format.h>

#include "cli/describe/description.hpp"

namespace heist::cli {

namespace {

constexpr const char* logic = R"zsh(
_heist() {
  local where=heist word i=2 helps=0 value option
  local -a names
  if [[ $words[2] == help ]] && (( CURRENT > 2 )); then
    helps=1 i=3
  fi
  for (( ; i < CURRENT; ++i )); do
    word=$words[i]
    if [[ $word == -* ]]; then
      [[ $word == *=* || -z $(_heist_value "$where" "$word") ]] || (( ++i ))
    elif [[ $where == 'heist tbb' || $where == 'heist check' ]]; then
      shift $(( i - 1 )) words
      (( CURRENT -= i - 1 ))
      _normal
      return
    else
      _heist_commands "$where"
      (( ${names[(I)$word:*]} )) && where+=" $word"
    fi
  done
  if (( helps )); then
    _heist_commands "$where"
    _describe -t commands command names
    return
  fi

  if [[ $words[CURRENT] == -*=* ]]; then
    option=${words[CURRENT]%%=*}
    compset -P '*='
  elif [[ $words[CURRENT-1] == -* ]]; then
    option=$words[CURRENT-1]
  fi
  [[ -n $option ]] && value=$(_heist_value "$where" "$option")
  case $value in
    @text) _message "a value of $option"; return ;;
    @file) _files; return ;;
    @folder) _files -/; return ;;
    ?*) compadd -- ${=value}; return ;;
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _heist_options "$where"
    _describe -o -t options option names
  elif [[ $where == 'heist tbb' || $where == 'heist check' ]]; then
    _command_names -e
  elif [[ $(_heist_argument "$where") == @file ]]; then
    _files
  else
    _heist_commands "$where"
    _describe -t commands command names
  fi
}
_heist "$@"
)zsh";

// One line 'NAME:HELP', as _describe takes it.
std::string described(const std::string& name, std::string help) {
  std::string escaped;
  for (const char c : name) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return quoted_for_shell(escaped + ':' + help);
}

std::string commands_function(const described_command& heist) {
  std::string text = "_heist_commands() {\n  names=()\n  case $1 in\n";
  for (const auto* each : all_commands(heist)) {
    if (each->commands.empty()) continue;
    text += fmt::format("    {}) names=(\n", quoted_for_shell(each->path));
    for (const auto& command : each->commands)
      text += fmt::format("      {}\n", described(command.name(), command.help));
    text += "    ) ;;\n";
  }
  return text + "  esac\n}\n\n";
}

// The options of a command and, except for heist's own, those of the commands around it.
std::string options_function(const described_command& heist) {
  std::string text = "_heist_options() {\n  names=('-h:its help' '--help:its help')\n";
  for (const auto* each : all_commands(heist)) {
    if (each->options.empty()) continue;
    const auto below = each == &heist ? "" : fmt::format("|{}\\ *", quoted_for_shell(each->path));
    text += fmt::format("  case $1 in {}{}) names+=(\n", quoted_for_shell(each->path), below);
    for (const auto& option : each->options)
      for (const auto& name : option.names)
        if (name != "-h" && name != "--help")
          text += fmt::format("    {}\n", described(name, option.help));
    text += "  ) ;; esac\n";
  }
  return text + "}\n\n";
}

std::string value_function(const described_command& heist) {
  std::string text = "_heist_value() {\n  case \"$1 $2\" in\n";
  for (const auto* each : all_commands(heist))
    for (const auto& option : each->options) {
      if (option.kind == value_kind::nothing) continue;
      std::string pattern;
      for (const auto& name : option.names)
        pattern +=
            fmt::format("{0}'{1} {2}'|'{1} '*' {2}'", pattern.empty() ? "" : "|", each->path, name);
      text +=
          fmt::format("    {}) echo {} ;;\n", pattern, quoted_for_shell(word_for_value(option)));
    }
  return text + "  esac\n}\n\n";
}

std::string argument_function(const described_command& heist) {
  std::string text = "_heist_argument() {\n  case $1 in\n";
  for (const auto* each : all_commands(heist))
    if (!each->arguments.empty())
      text += fmt::format("    {}) echo {} ;;\n", quoted_for_shell(each->path),
                          quoted_for_shell(word_for_value(each->arguments.front())));
  return text + "  esac\n}\n";
}

}  // namespace

std::string zsh_completion(const described_command& heist) {
  return "#compdef heist\n# Made by `heist-describe zsh` from the command's own help.\n\n" +
         commands_function(heist) + options_function(heist) + value_function(heist) +
         argument_function(heist) + logic;
}

}  // namespace heist::cli
