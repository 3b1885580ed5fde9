// The asymmetric barrier. The store-buffering litmus test shows its promise for both kinds, with a
// control that leaves the barrier out. Other tests cover exits, forks, refusals and many threads.
#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "heist/error.hpp"
#include "platform/barrier.hpp"
#include "platform/cpu.hpp"
#include "platform/cpu_count.hpp"
#include "platform/park.hpp"
#include "platform/thread.hpp"
#include "refuse_system_call.hpp"
#include "sanitizers.hpp"
#include "store_buffering.hpp"

namespace heist_test {
namespace {

using heist::platform::asymmetric_barrier;
using heist::platform::barrier_kind;
using heist::platform::futex_wait;
using heist::platform::futex_wake;
using heist::platform::light_barrier;
using heist::platform::park_word;
using heist::platform::parse_barrier_kind;
using heist::platform::set_barrier_kind_for_test;
using heist::platform::thread_id;

void heavy(std::span<const pid_t> tids) { asymmetric_barrier::instance().heavy_barrier(tids); }

class Barrier : public testing::TestWithParam<barrier_kind> {
 protected:
  void SetUp() override { set_barrier_kind_for_test(GetParam()); }
  void TearDown() override { set_barrier_kind_for_test(std::nullopt); }
};

std::string name_of_kind(const testing::TestParamInfo<barrier_kind>& info) {
  return std::string(heist::platform::name_of(info.param));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Barrier,
                         testing::Values(barrier_kind::membarrier, barrier_kind::signal),
                         name_of_kind);

TEST_P(Barrier, ForbidsStoreBufferingWithAFastSideThatHasNoFence) {
  store_buffering litmus;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(litmus.run(&heavy, 200'000, std::chrono::seconds(4)), 0);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  EXPECT_GT(litmus.rounds_run(), 100);
  std::printf("    %d rounds, %.2f us each\n", litmus.rounds_run(),
              took.count() / litmus.rounds_run());
}

// The litmus test is effective: without the heavy barrier it finds the outcome.
TEST(BarrierControl, StoreBufferingIsSeenWithoutTheHeavyBarrier) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "only promised where stores are buffered as on x86";
#endif
  if (heist::platform::affinity_cpus().size() < 2) GTEST_SKIP() << "needs two processors";
  store_buffering litmus;
  // Some thousand rounds as a rule. Other programs on the processors may keep the two sides apart
  // for seconds.
  const int forbidden = litmus.run([](std::span<const pid_t>) { light_barrier(); }, 50'000'000,
                                   std::chrono::seconds(60));
  ASSERT_NE(forbidden, 0) << "not in " << litmus.rounds_run() << " rounds";
  std::printf("    seen in round %d\n", litmus.rounds_run());
}

TEST_P(Barrier, TheCallerItselfAndGoneThreadsCount) {
  pid_t gone = 0;
  {
    admitted_thread short_lived([] {});
    gone = short_lived.tid();
  }
  const std::array<pid_t, 3> tids{thread_id(), gone, gone};
  heavy(tids);
  heavy({});
}

TEST_P(Barrier, RequestersMayNameEachOther) {
  constexpr std::size_t threads = 4;
  constexpr int rounds = 500;
  std::array<std::atomic<pid_t>, threads> published{};
  std::atomic<std::size_t> ready{0};
  std::vector<std::unique_ptr<admitted_thread>> all;
  for (std::size_t i = 0; i < threads; ++i) {
    all.push_back(std::make_unique<admitted_thread>([&, i] {
      published[i].store(thread_id(), std::memory_order_relaxed);
      // Release and acquire are partners of each other, for `published`.
      ready.fetch_add(1, std::memory_order_release);
      while (ready.load(std::memory_order_acquire) != threads) std::this_thread::yield();
      std::array<pid_t, threads> tids{};
      for (std::size_t k = 0; k < threads; ++k)
        tids[k] = published[k].load(std::memory_order_relaxed);
      for (int round = 0; round < rounds; ++round) heavy(tids);
    }));
  }
}

TEST_P(Barrier, ACrowdLargerThanOneRoundOfSignals) {
  constexpr int threads = 150;
  park_word release{0};
  std::vector<std::unique_ptr<admitted_thread>> crowd;
  std::vector<pid_t> tids;
  for (int i = 0; i < threads; ++i) {
    crowd.push_back(std::make_unique<admitted_thread>([&release] {
      while (release.load(std::memory_order_acquire) == 0) futex_wait(release, 0);
    }));
    tids.push_back(crowd.back()->tid());
  }
  for (int round = 0; round < 5; ++round) heavy(tids);
  // Release: the partner is the acquire in the crowd.
  release.store(1, std::memory_order_release);
  futex_wake(release, threads);
}

TEST_P(Barrier, AnInterruptedThreadKeepsItsErrno) {
  std::atomic<bool> stop{false};
  std::atomic<int> changed{0};
  admitted_thread target([&] {
    errno = 77;
    // Relaxed: the flag and the count publish nothing else.
    while (!stop.load(std::memory_order_relaxed)) {
      if (errno != 77) changed.fetch_add(1, std::memory_order_relaxed);
    }
  });
  const std::array<pid_t, 1> tids{target.tid()};
  errno = 33;
  for (int round = 0; round < 300; ++round) heavy(tids);
  EXPECT_EQ(errno, 33);
  stop.store(true, std::memory_order_relaxed);
  target.join();
  EXPECT_EQ(changed.load(std::memory_order_relaxed), 0);
}

TEST_P(Barrier, WorksInTheChildOfAFork) {
  heavy({});
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    store_buffering litmus;
    const int forbidden = litmus.run(&heavy, 2'000, std::chrono::seconds(2));
    ::_exit(forbidden == 0 && asymmetric_barrier::instance().kind() == GetParam() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A child forked while another thread is in the middle of rounds must not inherit a held lock.
TEST(BarrierSignal, ForkInTheMiddleOfARoundLeavesTheChildUsable) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer doesn't support threads after a multi-threaded fork";
  set_barrier_kind_for_test(barrier_kind::signal);
  std::atomic<bool> stop{false};
  // Relaxed: the flag publishes nothing else.
  admitted_thread target([&] {
    while (!stop.load(std::memory_order_relaxed)) heist::platform::pause();
  });
  const std::array<pid_t, 1> tids{target.tid()};
  admitted_thread requester([&] {
    while (!stop.load(std::memory_order_relaxed)) heavy(tids);
  });
  for (int i = 0; i < 50; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(10);
      const std::array<pid_t, 2> named{thread_id(), tids[0]};
      heavy(named);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop.store(true, std::memory_order_relaxed);
  requester.join();
  target.join();
  set_barrier_kind_for_test(std::nullopt);
}

TEST(BarrierSignal, WaitsForAThreadThatBlocksTheSignal) {
  set_barrier_kind_for_test(barrier_kind::signal);
  std::atomic<int> phase{0};
  admitted_thread target([&] {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    // Release: the partners are the acquire below and that in the check.
    phase.store(1, std::memory_order_release);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    phase.store(2, std::memory_order_release);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  });
  while (phase.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  const std::array<pid_t, 1> tids{target.tid()};
  heavy(tids);
  EXPECT_EQ(phase.load(std::memory_order_acquire), 2);
  target.join();
  set_barrier_kind_for_test(std::nullopt);
}

pid_t zombie_main = 0;

// A main thread that has called pthread_exit can be signalled but never answers.
TEST(BarrierSignal, AMainThreadThatHasLeftCounts) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(10);
    set_barrier_kind_for_test(barrier_kind::signal);
    zombie_main = thread_id();
    pthread_t other;
    ::pthread_create(
        &other, nullptr,
        [](void*) -> void* {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          const std::array<pid_t, 1> tids{zombie_main};
          heavy(tids);
          ::_exit(0);
        },
        nullptr);
    ::syscall(SYS_exit, 0);  // what pthread_exit comes to, without its unwinding
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Runs `check` in a child that cannot call membarrier: the exit code is 0 if it succeeds, and 77 if
// no filter could be set.
void in_a_child_without_membarrier(bool (*before_refusal)(), bool (*check)()) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    if (!before_refusal()) ::_exit(1);
    if (!refuse_membarrier()) ::_exit(77);
    ::_exit(check() ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no seccomp filters here";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: before the refusal, 2: after it";
}

bool litmus_holds() {
  store_buffering litmus;
  return litmus.run(&heavy, 2'000, std::chrono::seconds(2)) == 0;
}

TEST(BarrierRefused, FallsBackToSignalsWhenItIsMade) {
  in_a_child_without_membarrier(
      [] { return true; },
      [] {
        set_barrier_kind_for_test(std::nullopt);
        return asymmetric_barrier::instance().kind() == barrier_kind::signal && litmus_holds();
      });
}

TEST(BarrierRefused, GoesOnWithSignalsWhenMembarrierIsTakenAwayLater) {
  in_a_child_without_membarrier(
      [] {
        set_barrier_kind_for_test(std::nullopt);
        return asymmetric_barrier::instance().kind() == barrier_kind::membarrier;
      },
      &litmus_holds);
}

TEST(BarrierRefused, AskingForMembarrierByNameIsAnError) {
  in_a_child_without_membarrier([] { return true; },
                                [] {
                                  try {
                                    set_barrier_kind_for_test(barrier_kind::membarrier);
                                  } catch (const heist::resource_error&) {
                                    return true;
                                  }
                                  return false;
                                });
}

TEST(BarrierKind, IsParsedOrRefusedByName) {
  EXPECT_EQ(parse_barrier_kind("membarrier"), barrier_kind::membarrier);
  EXPECT_EQ(parse_barrier_kind("signal"), barrier_kind::signal);
  for (const char* bad : {"", "Signal", "signals", "none", "1", " signal"}) {
    EXPECT_THROW((void)parse_barrier_kind(bad), heist::usage_error) << bad;
  }
}

TEST(BarrierKind, EnvironmentIsReadAndABadValueNamed) {
  ::setenv("HEIST_BARRIER", "signal", 1);
  set_barrier_kind_for_test(std::nullopt);
  EXPECT_EQ(asymmetric_barrier::instance().kind(), barrier_kind::signal);
  ::setenv("HEIST_BARRIER", "hope", 1);
  try {
    set_barrier_kind_for_test(std::nullopt);
    ADD_FAILURE() << "a bad value was taken";
  } catch (const heist::usage_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("HEIST_BARRIER=hope"), std::string::npos);
  }
  ::unsetenv("HEIST_BARRIER");
  set_barrier_kind_for_test(std::nullopt);
}

// ---- Checks when the barrier's signal is sent. Debuggers stop at each signal, so none is sent if
// membarrier works.

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
