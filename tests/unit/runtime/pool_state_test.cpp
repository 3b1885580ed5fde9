// describe_pools() and HEIST_STATS_SIGNAL: the report of a program that hangs about its pools.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "heist/sync/latch.hpp"
#include "heist/sync/mutex.hpp"
#include "runtime/core/live_pools.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"

namespace heist_test {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Two functions each hold a mutex that the other one wants: both fibers are suspended for ever.
struct abba {
  heist::mutex a;
  heist::mutex b;
  heist::latch both_hold{2};
  std::atomic<int> wanting{0};

  void take(heist::mutex& first, heist::mutex& second) {
    first.lock();
    both_hold.arrive_and_wait();
    wanting.fetch_add(1, std::memory_order_relaxed);
    second.lock();
    second.unlock();
    first.unlock();
  }
  void start_in(heist::pool& pool) {
    heist::future<void> one = pool.submit([this] { take(a, b); });
    heist::future<void> other = pool.submit([this] { take(b, a); });
  }
};

TEST(PoolState, NamesThePoolItsChoicesAndEachWorker) {
  heist::pool pool({.workers = 3, .join = heist::join_kind::stalling, .name = "named"});
  ASSERT_TRUE(eventually([] { return has(heist::describe_pools(), "workers asleep: 3"); }));
  const std::string text = heist::describe_pools();
  EXPECT_TRUE(has(text, "pool named: workers 3, deque split, spawn child, join stalling, "))
      << text;
  EXPECT_TRUE(has(text, "suspended fibers: 0; entries injected: 0")) << text;
  for (const char* worker : {"worker 0, thread ", "worker 1, thread ", "worker 2, thread "})
    EXPECT_TRUE(has(text, worker)) << text;
  EXPECT_TRUE(has(text, ": parked; head 0, limit 0, tail 0, split 0, bound 0\n")) << text;
}

TEST(PoolState, APoolThatHasEndedIsGone) {
  {
    heist::pool pool({.workers = 2, .name = "passing"});
    EXPECT_TRUE(has(heist::describe_pools(), "pool passing:"));
  }
  EXPECT_FALSE(has(heist::describe_pools(), "pool passing:"));
}

TEST(PoolState, TellsWhoRunsAndWhatLiesOnADeque) {
  for (const heist::deque_kind kind : heist::all_deque_kinds) {
    heist::pool pool({.workers = 1, .deque = kind, .name = "busy"});
    const std::string text = pool.run([] {
      return std::get<0>(heist::fork_join([] { return heist::describe_pools(); }, [] {}));
    });
    EXPECT_TRUE(has(text, ": running; ")) << text;
    EXPECT_TRUE(has(text, kind == heist::deque_kind::split          ? "head 1, "
                          : kind == heist::deque_kind::shared_queue ? "shared queue 1"
                                                                    : "forks 1, loot 0"))
        << text;
  }
}

TEST(PoolState, CountsTheFibersThatWait) {
  const watchdog guard("a gate");
  heist::pool pool({.workers = 2, .name = "waiting"});
  heist::latch gate(1);
  std::vector<heist::future<void>> waiting;
  for (int i = 0; i < 5; ++i) waiting.push_back(pool.submit([&gate] { gate.wait(); }));
  EXPECT_TRUE(eventually([] { return has(heist::describe_pools(), "suspended fibers: 5"); }))
      << heist::describe_pools();
  gate.count_down();
  for (auto& f : waiting) f.get();
}

TEST(PoolState, MayBeAskedForWhilePoolsWorkComeAndGo) {
  const watchdog guard("pools that are described");
  std::atomic<bool> over{false};
  std::thread asking([&over] {
    while (!over.load(std::memory_order_relaxed)) {
      EXPECT_FALSE(heist::describe_pools().empty());
      ::usleep(100);
    }
  });
  for (int round = 0; round < scaled(20); ++round)
    for (const heist::deque_kind kind : heist::all_deque_kinds) {
      heist::pool pool({.workers = 3, .deque = kind});
      EXPECT_EQ(pool.run([] { return fib(12); }), 144);
    }
  over.store(true, std::memory_order_relaxed);
  asking.join();
}

TEST(PoolState, AForkWhileAnotherThreadLooksLeavesTheChildNoLock) {
  if (tsan || emulated) GTEST_SKIP() << "no threads in a child of several";
  const watchdog guard("a child that finds the list locked");
  const heist::pool pool({.workers = 1, .name = "parents"});
  signal_flag held;
  signal_flag may_let_go;
  std::thread looking([&] {
    heist::detail::live_pools::for_each([&](heist::detail::pool_impl&) {
      held.raise();
      EXPECT_TRUE(may_let_go.wait());
    });
  });
  EXPECT_TRUE(held.wait());
  EXPECT_EQ(in_forked_child([] {
              const heist::pool own({.workers = 1, .name = "own"});
              const std::string text = heist::describe_pools();
              return has(text, "pool own:") && !has(text, "pool parents:") ? 0 : 1;
            }),
            0);
  may_let_go.raise();
  looking.join();
}

// A process with the variable set, whose standard error the test reads.
class StatsSignal : public testing::Test {
 protected:
  void SetUp() override {
    if (tsan) GTEST_SKIP() << "ThreadSanitizer holds signals back until a call that it knows";
    if (emulated) GTEST_SKIP() << "qemu fails an assertion of its own in such a child";
  }
  ~StatsSignal() override {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    if (from_ >= 0) ::close(from_);
  }

  // Returns when the body has said that it is ready.
  template <class Body>
  void start(const char* signal, Body&& body) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::fflush(nullptr);
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      ::alarm(100);
      ::dup2(ends[1], STDERR_FILENO);
      ::setenv("HEIST_STATS_SIGNAL", signal, 1);
      body();
      ::_exit(0);
    }
    ::close(ends[1]);
    from_ = ends[0];
    ASSERT_TRUE(reads("ready\n")) << printed_;
  }
  static void say_ready() { std::fputs("ready\n", stderr); }
  static void is_ready() {
    say_ready();
    for (;;) ::pause();
  }
  static void hang_in_a_pool() {
    heist::pool pool({.workers = 2, .name = "hung"});
    static abba locks;
    locks.start_in(pool);
    while (locks.wanting.load(std::memory_order_relaxed) != 2) sched_yield();
    while (!has(heist::describe_pools(), "suspended fibers: 2")) ::usleep(1000);
    is_ready();
  }

  // Whether the child prints the text within 30 s. The output up to the end of the text is
  // discarded.
  bool reads(const std::string& wanted) {
    for (int wait = 0; wait < 300; ++wait) {
      if (const std::size_t at = printed_.find(wanted); at != std::string::npos) {
        printed_.erase(0, at + wanted.size());
        return true;
      }
      pollfd here{from_, POLLIN, 0};
      if (::poll(&here, 1, 100) <= 0) continue;
      char bytes[4096];
      const ssize_t n = ::read(from_, bytes, sizeof(bytes));
      if (n <= 0) return false;
      printed_.append(bytes, static_cast<std::size_t>(n));
    }
    return false;
  }
  // The signal that ended the child, or 0.
  int ended_by() {
    int status = 0;
    const pid_t gone = ::waitpid(child_, &status, 0);
    if (gone == child_) child_ = -1;
    return gone > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  pid_t child_ = -1;
  int from_ = -1;
  std::string printed_;
};

TEST_F(StatsSignal, AHungProgramTellsHowManyFibersWaitAndGoesOn) {
  start("USR1", &hang_in_a_pool);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(::kill(child_, SIGUSR1), 0);
    EXPECT_TRUE(reads("pool hung: workers 2, deque split")) << printed_;
    EXPECT_TRUE(reads("stacks: 4 in use")) << printed_;  // more than workers
    EXPECT_EQ(::waitpid(child_, nullptr, WNOHANG), 0);
  }
}

TEST_F(StatsSignal, AnInterruptedProgramTellsItAndEndsAsByDefault) {
  start("INT", &hang_in_a_pool);
  ASSERT_EQ(::kill(child_, SIGINT), 0);
  EXPECT_TRUE(reads("suspended fibers: 2")) << printed_;
  EXPECT_EQ(ended_by(), SIGINT);
}

TEST_F(StatsSignal, AChildOfForkAnswersToo) {
  start("INT", [] {
    heist::pool inherited({.workers = 2, .name = "inherited"});
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      heist::pool own({.workers = 1, .name = "own"});
      say_ready();  // before the signal, whose answer ends the process
      ::kill(::getpid(), SIGINT);
      for (;;) ::pause();
    }
    ::waitpid(grandchild, nullptr, 0);
  });
  EXPECT_TRUE(reads("pool own: workers 1")) << printed_;
  EXPECT_FALSE(reads("pool inherited"));
}

TEST_F(StatsSignal, AHandlerOfTheProgramStays) {
  start("USR1", [] {
    ::signal(SIGUSR1, [](int) { ::_exit(3); });
    heist::pool pool({.workers = 1});
    is_ready();
  });
  ASSERT_EQ(::kill(child_, SIGUSR1), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child_, &status, 0), child_);
  child_ = -1;
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

using StatsSignalName = fresh_process;

TEST_F(StatsSignalName, ThatIsNoneIsRefused) {
  EXPECT_EXIT(run_and_exit([] {
                ::setenv("HEIST_STATS_SIGNAL", "KILL", 1);
                heist::pool pool({.workers = 1});
              }),
              testing::ExitedWithCode(code_usage),
              "^HEIST_STATS_SIGNAL=KILL: must be USR1, USR2, INT, TERM or QUIT\n");
}

}  // namespace
}  // namespace heist_test
