// Where a command prints its results. What can't be written is an error: a table cut short by a
// full disk must not end with success.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace heist::cli {

class output {
 public:
  explicit output(std::FILE* file) : file_(file) {}

  // Throws resource_error when the text can't be written.
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  // Throws resource_error when what was printed so far can't be written.
  void flush();

 private:
  void write(std::string_view text);

  std::FILE* file_;
};

// Throw resource_error, which names the file. The second one comes before long work, whose result would be lost otherwise;
// no path, nothing to do.
void write_file(const std::string& path, std::string_view text);
void require_writable(const std::string& path);

}  // namespace heist::cli
