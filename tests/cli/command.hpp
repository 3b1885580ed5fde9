// One command, run in this process: its exit code and what it printed.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

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

inline command_result heist_command(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"heist"};
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  const captured_file out;
  const captured_file err;
  const int code =
      heist::cli::run_cli(static_cast<int>(argv.size()), argv.data(), out.file(), err.file());
  return {code, out.text(), err.text()};
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
