// The arguments of a command and of its subcommands, as data: what they are called, what they take,
// what they mean, and where what was given goes. The help, the man page and the completions are
// made of the same data. arguments.cpp alone knows CLI11, which reads a command line by it.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heist::cli {

// An option, a flag or an argument in its place.
struct option {
  // "-P,--workers"; without a dash it is an argument in its place: "FILE".
  std::string names;
  // Where what was given goes. A bool is set by a flag; of several values of a text the last one
  // counts, and a list takes all of them. Nowhere: a flag of which is_given tells.
  std::variant<bool*, std::string*, std::vector<std::string>*, std::monostate> to;
  std::string help;
  std::string value = {};                 // what the help calls it: N, FILE; empty: nothing
  std::vector<std::string> choices = {};  // the names that it takes, which the command checks
  std::string implied = {};               // "--stats" without a value stands for this one
  char separator = '\0';                  // between the elements of a list in one word

  [[nodiscard]] bool is_positional() const { return !names.starts_with('-'); }
  [[nodiscard]] bool is_flag() const {
    return std::holds_alternative<bool*>(to) || std::holds_alternative<std::monostate>(to) ||
           !implied.empty();
  }
  [[nodiscard]] std::vector<std::string> all_names() const;  // with their dashes
};

class arguments {
 public:
  arguments(std::string name, std::string help) : name_(std::move(name)), help_(std::move(help)) {}
  arguments(const arguments&) = delete;
  arguments& operator=(const arguments&) = delete;

  // What `to` points to must live until the command line has been read.
  void add(option one) { options_.push_back(std::move(one)); }
  // One whose text has a value already, which the help shows: [1..64]; "a file ..." takes a FILE.
  void add_text(std::string names, std::string& text, const std::string& help,
                std::vector<std::string> choices = {});
  arguments& add_command(std::string name, std::string help) {
    return commands_.emplace_back(std::move(name), std::move(help));
  }
  // A command that neither the help nor the completions show.
  arguments& add_hidden_command(std::string name) {
    auto& added = add_command(std::move(name), {});
    added.is_hidden_ = true;
    return added;
  }
  // Below the options in the help.
  void set_footer(std::string text) { footer_ = std::move(text); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& help() const { return help_; }
  [[nodiscard]] const std::string& footer() const { return footer_; }
  [[nodiscard]] bool is_hidden() const { return is_hidden_; }
  [[nodiscard]] const std::vector<option>& options() const { return options_; }
  [[nodiscard]] const std::deque<arguments>& commands() const { return commands_; }
  // nullptr: there is none of this name.
  [[nodiscard]] arguments* command(std::string_view name);
  // Those that the help shows.
  [[nodiscard]] std::vector<std::string_view> command_names() const;

  // Reads a command line, without the program's name. The result is the help, where it was asked
  // for. Throws usage_error where an option has no value.
  [[nodiscard]] std::optional<std::string> read(const std::vector<std::string>& words);

  // What a command line held: the command itself, or an option, one of whose names this is.
  [[nodiscard]] bool is_given() const { return is_given_; }
  [[nodiscard]] bool is_given(std::string_view option) const;
  // What no option took, of this command alone and with those below it, without "--".
  [[nodiscard]] const std::vector<std::string>& own_extras() const { return own_extras_; }
  [[nodiscard]] std::vector<std::string> extras() const;

 private:
  friend class command_line_reader;

  std::string name_, help_, footer_;
  std::vector<option> options_;
  std::deque<arguments> commands_;  // a deque: the elements keep their addresses
  bool is_hidden_ = false;
  bool is_given_ = false;
  std::vector<std::string> given_;  // the names of options that were given
  std::vector<std::string> own_extras_;
};

}  // namespace heist::cli
