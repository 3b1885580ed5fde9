// Where a command prints its results. What can't be written is an error: a table cut short by a
// full disk must not end with success.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace heist::cli {

class output {
 public:
  explicit output(std::FILE* file) : file_(file) {}

  // Throws resource_error when the text can't be written, and closed_pipe when nobody wants more of
  // it.
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  // Throws likewise when what was printed so far can't be written.
  void flush();

 private:
  void write(std::string_view text);

  std::FILE* file_;
};

// The file as a whole, or not at all. Throws resource_error, which names the file, and closed_pipe.
void write_file(const std::string& path, std::string_view text);

// Before long work, whose result would be lost otherwise: throws resource_error for the first that
// can't be written. An empty path is none.
void require_writable(std::initializer_list<std::string_view> paths);

}  // namespace heist::cli
