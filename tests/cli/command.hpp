// One command, run in this process: its exit code and what it printed.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include "cli/cli.hpp"

struct command_result {
  int code;
  std::string out;
  std::string err;
};

// A FILE that writes to a string.
class captured_file {
 public:
  captured_file() : file_(open_memstream(&text_, &size_)) {}
  captured_file(const captured_file&) = delete;
  captured_file& operator=(const captured_file&) = delete;
  ~captured_file() {
    std::fclose(file_);
    std::free(text_);
  }

  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::string text() const {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

inline command_result run_command(heist::cli::commands which,
                                  const std::vector<std::string>& arguments) {
  const captured_file out;
  const captured_file err;
  const int code = heist::cli::run_cli(which, arguments, out.file(), err.file());
  return {code, out.text(), err.text()};
}

// The commands of heist and of heist-lab, so that no test starts another program. heist-bench takes
// longer to build than both: its tests are in tests/bench.
inline command_result heist_command(const std::vector<std::string>& arguments) {
  using namespace heist::cli;
  std::vector<built_in_command> both;
  for (const auto some : {core_commands(), lab_commands()})
    both.insert(both.end(), some.begin(), some.end());
  return run_command(both, arguments);
}

// What is refused has the given exit code, prints nothing, and is one line on standard error.
inline void expect_refused(const command_result& result, int code, const std::string& complaint) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, testing::StartsWith("heist: "));
  EXPECT_THAT(result.err, testing::HasSubstr(complaint));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(result.err.back(), '\n');
}

// What a command's reader makes of the words that follow "heist".
template <class Request>
Request read_words(heist::cli::reader<Request> (*add)(heist::cli::arguments&),
                   const std::vector<std::string>& words) {
  heist::cli::arguments root("heist", "");
  const auto read = add(root.add_command(words.front(), ""));
  EXPECT_EQ(root.read(words), std::nullopt);
  EXPECT_EQ(root.own_extras(), std::vector<std::string>{});
  return read("heist");
}

// An environment variable for as long as the object lives.
class variable_set {
 public:
  variable_set(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  variable_set(const variable_set&) = delete;
  variable_set& operator=(const variable_set&) = delete;
  ~variable_set() { unsetenv(name_); }

 private:
  const char* name_;
};

// A folder that no other process uses, for as long as the object lives: tests run side by side.
class temporary_folder {
 public:
  temporary_folder()
      : path_(std::filesystem::temp_directory_path() / ("heist_cli_" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};
