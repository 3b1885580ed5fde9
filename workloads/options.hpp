// The options of a workload are data, so that the command line, the tests and the benchmarks set
// them in the same way and one function checks them. A value is checked when it is set; therefore
// no instance is made from a value out of range.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heist::workloads {

enum class option_kind {
  integer,  // decimal, between min and max
  bytes,    // likewise, or with a suffix K, M or G (k, m, g), as HEIST_STACK_SIZE
  choice,   // one of the choices
  path,     // a file's name; empty means none
  files,    // any number of file names, given as arguments without an option's name
};

struct option_spec {
  std::string name;  // without the dashes
  std::string help;
  option_kind kind = option_kind::integer;
  std::string default_value;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<std::string> choices;
};

[[nodiscard]] option_spec integer_option(std::string name, std::string help,
                                         std::int64_t default_value, std::int64_t min,
                                         std::int64_t max);
[[nodiscard]] option_spec choice_option(std::string name, std::string help,
                                        std::string default_value,
                                        std::vector<std::string> choices);
[[nodiscard]] option_spec path_option(std::string name, std::string help);
[[nodiscard]] option_spec files_option(std::string name, std::string help);

// The value of an option as text.
struct option_text {
  std::string name;
  option_kind kind;
  std::string text;
};

// The values for one run of one workload. They start as the defaults.
class option_values {
 public:
  option_values(std::string_view workload, std::vector<option_spec> specs);

  // Sets one option from its text. Throws usage_error that names the option, the value and the
  // allowed values.
  void set(std::string_view name, std::string_view text);

  // Appends one file. Throws usage_error if the workload takes none.
  void add_file(std::string_view path);

  // Throws usage_error if one of these options was set; its line names what they conflict with.
  void refuse(const std::vector<std::string_view>& names, std::string_view beside) const;

  // Every option's text, defaults included.
  [[nodiscard]] std::vector<option_text> texts() const;

  [[nodiscard]] bool is_given(std::string_view name) const { return is_given_[index_of(name)]; }
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  // The value of an option in bytes, or of an integer option whose min is not negative.
  [[nodiscard]] std::size_t size(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  [[nodiscard]] std::size_t index_of(std::string_view name) const;

  std::string workload_;
  std::vector<option_spec> specs_;
  std::vector<std::string> texts_;  // by position in specs_; checked
  std::vector<bool> is_given_;      // likewise
  std::vector<std::string> files_;
};

}  // namespace heist::workloads
