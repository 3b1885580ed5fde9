// Helpers for tests that need a process of their own: for the environment, limits, fork().
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {

// The exit codes of run_and_exit are those of the command.
inline constexpr int code_resource = 1;
inline constexpr int code_usage = 2;

// Called in a death test's child: runs the body and ends the process; if the body throws, prints
// the exception's message.
template <class Body>
[[noreturn]] void run_and_exit(Body&& body) {
  int code = 0;
  ::alarm(100);
  try {
    body();
  } catch (const heist::usage_error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    code = code_usage;
  } catch (const heist::resource_error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    code = code_resource;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "unexpected: %s\n", e.what());
    code = 70;
  }
  std::fflush(nullptr);
  std::exit(code);
}

// A death test starts in a fresh process if that is possible (an emulator cannot execute itself).
class fresh_process : public testing::Test {
 protected:
  fresh_process() {
    if (!emulated) GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

// Runs the body in a child of fork(); returns its exit code, or 128 + the signal that ended it.
template <class Body>
int in_forked_child(Body&& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(body());
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace heist_test
