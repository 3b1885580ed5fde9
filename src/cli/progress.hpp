// One line on a terminal that says what runs now. Nothing is written while it runs, so nothing is
// measured but the workload; where standard error is no terminal nothing is written at all.
#pragma once

#include <cstdio>
#include <string>

#include <unistd.h>

namespace heist::cli {

class progress {
 public:
  explicit progress(std::FILE* err) : err_(isatty(fileno(err)) != 0 ? err : nullptr) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  void show(const std::string& text) { write("\r\033[K" + text); }
  void clear() { write("\r\033[K"); }

 private:
  void write(const std::string& text) {
    if (err_ == nullptr) return;
    std::fputs(text.c_str(), err_);
    std::fflush(err_);
  }

  std::FILE* err_;  // nullptr: not a terminal
};

}  // namespace heist::cli
