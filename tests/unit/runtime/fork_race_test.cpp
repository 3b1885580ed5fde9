// One thread calls fork() while another one uses heist for the first time, or takes the library's
// locks.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <random>
#include <thread>
#include <tuple>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"

namespace heist_test {
namespace {

// AddressSanitizer's allocator and its list of threads have locks that its fork() does not take: a
// child that was forked while another thread held one waits for ever at its next thread, also in a
// program without heist.
class ForkRace : public fresh_process {
 protected:
  void SetUp() override {
    if (asan) GTEST_SKIP() << "AddressSanitizer's locks may be held in the child";
    if (tsan) GTEST_SKIP() << "ThreadSanitizer lets no child of several threads start one";
    if (emulated) GTEST_SKIP() << "qemu fails an assertion of its own in such a child";
  }
};

// A wait with a time limit, which the alarm thread ends.
bool times_out() {
  heist::mutex held;
  const std::lock_guard hold(held);
  return !held.try_lock_for(std::chrono::microseconds(20));
}

// Whether the default pool, other pools and time limits work here.
bool all_works() {
  if (fib(12) != 144) return false;
  heist::pool own({.workers = 2});
  if (own.run([] { return fib(12); }) != 144) return false;
  return times_out();
}

// One thread uses heist for the first time while another calls fork(). The ways to begin differ in
// what they initialise first.
int race(unsigned way, std::chrono::nanoseconds delay) {
  std::atomic<bool> begun{false};
  std::thread first([&] {
    begun = true;
    if (way == 0)
      static_cast<void>(fib(12));
    else if (way == 1)
      static_cast<void>(heist::pool({.workers = 2}).run([] { return fib(12); }));
    else
      times_out();
  });
  while (!begun) {
  }
  const auto end = std::chrono::steady_clock::now() + delay;
  while (std::chrono::steady_clock::now() < end) {
  }
  const int child = in_forked_child([] {
    ::alarm(10);
    return all_works() ? 0 : 1;
  });
  first.join();
  return child != 0 ? child : all_works() ? 0 : 2;
}

TEST_F(ForkRace, AChildOfTheFirstUseWorks) {
  EXPECT_EXIT(run_and_exit([] {
                std::minstd_rand random(20261122);
                std::uniform_int_distribution<int> delay_ns(0, 400'000);
                for (unsigned i = 0; i < 150; ++i) {
                  const std::chrono::nanoseconds delay(delay_ns(random));
                  // Each attempt runs in a process that has not used heist yet.
                  const int result = in_forked_child([&] { return race(i % 3, delay); });
                  if (result != 0) {
                    std::fprintf(stderr, "round %u, fork after %lld ns: %d\n", i,
                                 static_cast<long long>(delay.count()), result);
                    std::_Exit(3);
                  }
                }
                std::fputs("150 children\n", stderr);
              }),
              testing::ExitedWithCode(0), "150 children");
}

// Several threads take the library's locks all the time while others call fork().
TEST_F(ForkRace, AChildFindsNoLockHeld) {
  EXPECT_EXIT(run_and_exit([] {
                std::atomic<bool> stop{false};
                std::array<std::thread, 3> busy;
                for (std::size_t i = 0; i < busy.size(); ++i)
                  busy[i] = std::thread([&stop, i] {
                    while (!stop) {
                      if (i == 0) heist::pool({.workers = 2}).run([] { return fib(8); });
                      if (i == 1) static_cast<void>(times_out());
                      if (i == 2) static_cast<void>(heist::submit([] { return 1; }).get());
                    }
                  });
                for (int i = 0; i < 100; ++i) {
                  const int result = in_forked_child([] {
                    ::alarm(10);
                    return all_works() ? 0 : 1;
                  });
                  if (result != 0) {
                    std::fprintf(stderr, "child %d: %d\n", i, result);
                    std::_Exit(3);
                  }
                }
                stop = true;
                for (std::thread& t : busy) t.join();
                std::fputs("100 children\n", stderr);
              }),
              testing::ExitedWithCode(0), "100 children");
}

// This kind of fork runs no handler of pthread_atfork().
TEST_F(ForkRace, AChildOfTheBareSystemCallIsNoticed) {
  EXPECT_EXIT(run_and_exit([] {
                const heist::pool* const before = &heist::default_pool();
                static_cast<void>(fib(12));
                const auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
                if (child == 0) {
                  ::alarm(10);
                  ::_exit(&heist::default_pool() != before && fib(12) == 144 ? 0 : 1);
                }
                int status = 0;
                ::waitpid(child, &status, 0);
                std::fprintf(stderr, "status %d\n", status);
              }),
              testing::ExitedWithCode(0), "status 0");
}

}  // namespace
}  // namespace heist_test
