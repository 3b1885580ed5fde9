// Shows on one line of a terminal what runs now. Nothing is written during a run, so that only the
// workload is measured, and nothing at all if standard error is no terminal.
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
