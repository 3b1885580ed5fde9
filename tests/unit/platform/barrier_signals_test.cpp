// Checks when the barrier's signal is sent. Debuggers stop at each signal, so none is sent if
// membarrier works.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "heist/error.hpp"
#include "platform/barrier.hpp"
#include "platform/thread.hpp"

namespace heist_test {
namespace {

using heist::platform::asymmetric_barrier;
using heist::platform::barrier_kind;

bool has_pending_signal() {
  sigset_t pending;
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  for (int number = 1; number <= SIGRTMAX; ++number)
    if (::sigismember(&pending, number) == 1) return true;
  return false;
}

constexpr int none_came = 0;
constexpr int one_came = 1;
constexpr int is_refused = 2;

// Runs in a process that has no barrier yet, and makes one while every signal is blocked.
[[noreturn]] void make_barrier_and_exit(const char* kind) {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  ::setenv("HEIST_BARRIER", kind, 1);
  try {
    asymmetric_barrier& barrier = asymmetric_barrier::instance();
    if (barrier.kind() == barrier_kind::membarrier) {
      const std::array<pid_t, 1> self{heist::platform::thread_id()};
      barrier.heavy_barrier(self);
    }
  } catch (const heist::resource_error&) {
    std::_Exit(is_refused);
  }
  std::_Exit(has_pending_signal() ? one_came : none_came);
}

class BarrierSignals : public testing::Test {
 protected:
  BarrierSignals() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(BarrierSignals, AreNotSentWhereMembarrierServes) {
  const auto none_or_refused = [](int status) {
    if (!WIFEXITED(status)) return false;
    if (WEXITSTATUS(status) == is_refused) std::puts("    membarrier(2) is refused here");
    return WEXITSTATUS(status) == none_came || WEXITSTATUS(status) == is_refused;
  };
  EXPECT_EXIT(make_barrier_and_exit("membarrier"), none_or_refused, "");
}

// A barrier by signals tries its signal when it takes it, so the test above would have seen one.
TEST_F(BarrierSignals, AreTriedWhereTheyAreAskedFor) {
  EXPECT_EXIT(make_barrier_and_exit("signal"), testing::ExitedWithCode(one_came), "");
}

}  // namespace
}  // namespace heist_test
