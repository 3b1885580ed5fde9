// What the man page and the completions are made of: the arguments of all programs, so that they
// say what `heist --help` says. `heist-describe man` prints the page, `heist-describe bash` the
// completions for bash, likewise zsh and fish; the build calls it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/arguments.hpp"

namespace heist::cli {

// What may follow an option, or stand for an argument.
enum class value_kind {
  nothing,  // it is a flag
  text,     // a number or a word that the shell can't know
  names,    // one of some names
  file,
  folder,
};

struct described_option {
  std::vector<std::string> names;  // with their dashes; of an argument its name
  std::string value;               // as the help calls it: N; empty if it has no name for it
  value_kind kind = value_kind::nothing;
  std::vector<std::string> choices;  // of value_kind::names
  std::string help;
};

struct described_command {
  std::string path;  // heist run fib
  std::string help;
  std::string footer;
  // Those of the command that contains it are taken too (except of heist itself), and not repeated.
  std::vector<described_option> options;
  std::vector<described_option> arguments;
  std::vector<described_command> commands;

  [[nodiscard]] std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

inline constexpr std::array<std::string_view, 4> description_forms = {"man", "bash", "zsh", "fish"};

[[nodiscard]] described_command describe(const arguments& root);

// The whole description in one of description_forms. Throws usage_error for another one.
[[nodiscard]] std::string describe_as(std::string_view form, const arguments& root);

[[nodiscard]] std::string man_page(const described_command& heist);
[[nodiscard]] std::string bash_completion(const described_command& heist);
[[nodiscard]] std::string zsh_completion(const described_command& heist);
[[nodiscard]] std::string fish_completion(const described_command& heist);

// Every command below this one and itself, the outer ones first.
[[nodiscard]] std::vector<const described_command*> all_commands(const described_command& heist);
// The names that an option takes, with spaces between.
[[nodiscard]] std::string names_in_line(const described_option& option);
// What follows an option, in a word for bash and zsh: names, or @text, @file, @folder; or nothing.
[[nodiscard]] std::string word_for_value(const described_option& option);
// For a shell: 'a text', with what is special escaped.
[[nodiscard]] std::string quoted_for_shell(std::string_view text);

}  // namespace heist::cli
