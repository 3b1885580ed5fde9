// The stream for a command's results. A failed write is an error: a table that a full disk cut
// short must not end with success.
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

  // Throws resource_error if the text can't be written, and closed_pipe if the reader has gone.
  template <class... Arguments>
  void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  // Throws likewise if text that was printed before can't be written.
  void flush();

 private:
  void write(std::string_view text);

  std::FILE* file_;
};

// Writes the whole file or none of it. Throws resource_error, which names the file, and
// closed_pipe.
void write_file(const std::string& path, std::string_view text);

// To be called before long work, whose result would be lost otherwise: throws resource_error for
// the first file that can't be written. Empty paths are ignored.
void require_writable(std::initializer_list<std::string_view> paths);

}  // namespace heist::cli
