// The tests of HEIST_CHECK=1 share these: a pool, and what is printed meanwhile.
#pragma once

#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "heist/check.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {

// Standard error while it lives.
class heard {
 public:
  heard() {
    std::fflush(stderr);
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    from_ = ends[0];
    before_ = ::dup(STDERR_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
  }
  ~heard() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    ::close(from_);
  }
  heard(const heard&) = delete;
  heard& operator=(const heard&) = delete;

  // What has been written so far; waits for it for that time at most.
  const std::string& text(std::chrono::milliseconds patience = std::chrono::milliseconds(0)) {
    pollfd here{from_, POLLIN, 0};
    while (::poll(&here, 1, static_cast<int>(patience.count())) > 0) {
      char bytes[4096];
      const ssize_t n = ::read(from_, bytes, sizeof(bytes));
      if (n <= 0) break;
      text_.append(bytes, static_cast<std::size_t>(n));
      patience = std::chrono::milliseconds(0);
    }
    return text_;
  }
  // Waits until the text is there.
  bool hears(const std::string& wanted) {
    for (int i = 0; i < 300; ++i)
      if (text(std::chrono::milliseconds(100)).find(wanted) != std::string::npos) return true;
    return false;
  }

 private:
  int from_ = -1;
  int before_ = -1;
  std::string text_;
};

// As reports name a line of the caller's file.
inline std::string place_of(int line, const char* file = __builtin_FILE()) {
  return "made at " + std::string(file) + ":" + std::to_string(line);
}

// Runs in a pool of so many workers.
class checked_waits : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    const char* const value = std::getenv("HEIST_CHECK");
    if (value == nullptr || std::string(value) != "1") GTEST_SKIP() << "HEIST_CHECK isn't 1";
    if (is_serial()) GTEST_SKIP() << "with one thread there is nobody to wait for";
  }
  // The message of the deadlock that f meets, or "none".
  template <class F>
  static std::string deadlock_in(F&& f) {
    try {
      f();
    } catch (const heist::deadlock& d) {
      return d.what();
    }
    return "none";
  }

  heist::pool pool_{{.workers = GetParam(), .name = "knot"}};
};

}  // namespace heist_test
