// Attacks on a working pool by the program or its user: the process is stopped or profiled, a stack
// overflows, a worker calls exit(), and statics are destroyed in any order. Each attack runs in a
// process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include "tests/faults/apart.hpp"
#include "tests/faults/work.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

#if defined(HEIST_TEST_ASAN)
// What exit() leaves suspended holds memory that only its stack points to, and the leak checker
// knows the stacks of threads alone.
extern "C" int __lsan_is_turned_off() { return 1; }
#endif

namespace heist_test {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;

// Runs with both barriers, because other signals might disturb the barrier by signals.
class Signals : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(By, Signals, testing::Values("membarrier", "signal"),
                         [](const auto& one) { return std::string(one.param); });

// Uses pools for this long, one of which may have more workers than there are processors.
void work_for(report& r, std::chrono::milliseconds time) {
  heist::pool two({.workers = 2});
  heist::pool eight({.workers = 8});
  const auto end = std::chrono::steady_clock::now() + time;
  for (long round = 0; std::chrono::steady_clock::now() < end; ++round) {
    r.at(round);
    if (!works(two) || !works(eight)) r.fail("a wrong result");
    std::this_thread::sleep_for(100us);
  }
}

TEST_P(Signals, StoppedAndContinued) {
  // ThreadSanitizer keeps a signal that it holds back with the fiber, not with the thread, and may
  // run its handler on another one.
  if (tsan && std::string(GetParam()) == "signal") GTEST_SKIP() << "signals move with fibers";
  ::setenv("HEIST_BARRIER", GetParam(), 1);
  const pid_t parent = ::getpid();
  EXPECT_EQ(run_apart([&](report& r) {
              const pid_t worker = ::getpid();
              const pid_t stopper = ::fork();
              if (stopper == 0) {
                for (int i = 0; i < 60 && ::getppid() == worker; ++i) {
                  ::usleep(static_cast<useconds_t>(1000 + i * 137 % 5000));
                  ::kill(worker, SIGSTOP);
                  ::usleep(static_cast<useconds_t>(i % 20 == 0 ? 40'000 : 2000));
                  ::kill(worker, SIGCONT);
                }
                ::_exit(0);
              }
              work_for(r, 1000ms);
              ::waitpid(stopper, nullptr, 0);
            }),
            "")
      << parent;
  ::unsetenv("HEIST_BARRIER");
}

std::atomic<long> ticks{0};
extern "C" void on_profile_tick(int) {
  const int before = errno;
  ticks.fetch_add(1, std::memory_order_relaxed);
  errno = before;
}

// Behaves like a profiler: the handler runs on the current stack, and interrupted system calls are
// not restarted.
TEST_P(Signals, ProfiledAThousandTimesASecond) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer takes a handler's errno for data that fibers share";
  ::setenv("HEIST_BARRIER", GetParam(), 1);
  long seen = 0;
  EXPECT_EQ(run_apart(
                [](report& r) {
                  struct sigaction action {};
                  action.sa_handler = &on_profile_tick;
                  ::sigaction(SIGPROF, &action, nullptr);
                  ::sigaction(SIGALRM, &action, nullptr);
                  const itimerval each_ms{{0, 1000}, {0, 1000}};
                  ::setitimer(ITIMER_PROF, &each_ms, nullptr);
                  ::setitimer(ITIMER_REAL, &each_ms, nullptr);  // also for threads that sleep
                  work_for(r, 1000ms);
                  r.count(ticks.load());
                },
                60s, &seen),
            "");
  std::printf("%ld signals\n", seen);
  EXPECT_GT(seen, 200);
  ::unsetenv("HEIST_BARRIER");
}

// ---- stacks that overflow

// Frames of `Bytes`, of which only the lowest byte is touched: each size overflows at a different
// distance from the stack's end.
template <std::size_t Bytes>
[[gnu::noinline]] long fill_stack(long depth) {
  volatile char frame[Bytes];
  frame[0] = static_cast<char>(depth);
  const long below = depth == 0 ? 0 : fill_stack<Bytes>(depth - 1);
  return below + frame[0];
}

// First grows the stack by `bytes`.
[[gnu::noinline]] long fill_from(std::size_t bytes, std::size_t frame) {
  auto* const gap = static_cast<volatile char*>(__builtin_alloca(bytes + 1));
  gap[0] = 1;
  constexpr long enough = 1 << 20;
  long sum = gap[0];
  if (frame == 0) sum += fill_stack<64>(enough);
  if (frame == 1) sum += fill_stack<1000>(enough);
  if (frame == 2) sum += fill_stack<10'000>(enough);
  if (frame == 3) sum += fill_stack<60'000>(enough);
  if (frame == 4) sum += fill_stack<340'000>(enough);
  if (frame == 5) sum += fill_stack<700'000>(enough);
  if (frame == 6) sum += fill_stack<1'000'000>(enough);
  return sum + gap[0];
}

// Which thread runs the work of a caller that may do so itself depends on who sleeps.
void expect_overflow(const std::function<void(heist::pool&)>& overflow,
                     heist::caller_kind callers = heist::caller_kind::work) {
  const ending end = run_to_its_end([&] {
    heist::pool pool({.workers = 2, .stack_size = 256 << 10, .callers = callers});
    overflow(pool);
  });
  EXPECT_EQ(end.how, "signal 11");
  const std::string full = "heist: stack overflow: a fiber's stack of 256 KiB is full";
  const auto by_a_worker = HasSubstr(full + " (worker ");
  if (callers == heist::caller_kind::wait)
    EXPECT_THAT(end.errors, by_a_worker);
  else
    EXPECT_THAT(end.errors, AnyOf(by_a_worker, HasSubstr(full + "; raise it")));
  EXPECT_THAT(end.errors, HasSubstr("HEIST_STACK_SIZE"));
}

// The sanitizers' frames and red zones are larger than the guard.
TEST(Overflows, ByFramesOfEachSizeAtEachDepth) {
  if (asan || tsan) GTEST_SKIP() << "no sanitizer leaves the frames as they are";
  for (const std::size_t frame : {0U, 1U, 2U, 3U})
    for (std::size_t offset = 0; offset < 64 * 1024; offset += 5 * 1024 + 24)
      for (const auto callers : {heist::caller_kind::wait, heist::caller_kind::work})
        expect_overflow([&](heist::pool& pool) { pool.run([&] { fill_from(offset, frame); }); },
                        callers);
}

// Larger than the stack, so that the first one begins in the guard or below.
TEST(Overflows, ByFramesLargerThanTheStack) {
  if (asan || tsan) GTEST_SKIP() << "no sanitizer leaves the frames as they are";
  for (const std::size_t frame : {4U, 5U, 6U})
    for (const std::size_t offset : {0U, 24U << 10, 48U << 10})
      expect_overflow([&](heist::pool& pool) { pool.run([&] { fill_from(offset, frame); }); },
                      heist::caller_kind::wait);
}

TEST(Overflows, InEachKindOfFunction) {
  if (asan || tsan) GTEST_SKIP() << "no sanitizer leaves the frames as they are";
  const auto fill = [] { fill_from(100, 2); };
  expect_overflow([&](heist::pool& p) { p.run([&] { heist::fork_join(fill, [] {}); }); });
  expect_overflow([&](heist::pool& p) { p.run([&] { heist::fork_join([] {}, fill); }); });
  expect_overflow([&](heist::pool& p) {
    p.run([&] { heist::scope([&](heist::task_scope& s) { s.spawn(fill); }); });
  });
  expect_overflow([&](heist::pool& p) {
    p.run([&] {
      heist::parallel_for(0, 100, [&](int i) {
        if (i == 70) fill();
      });
    });
  });
  expect_overflow([&](heist::pool& p) { p.submit(fill).get(); });
  expect_overflow([&](heist::pool& p) {  // stolen
    p.run([&] {
      std::atomic<bool> begun{false};
      heist::fork_join(
          [&] {
            while (!begun) std::this_thread::yield();
            std::this_thread::sleep_for(10s);
          },
          [&] {
            begun = true;
            fill();
          });
    });
  });
}

// ---- signals for the program

volatile std::sig_atomic_t handled = 0;

// Awaits a blocked signal in one of the ways in which programs do, for ten seconds.
bool comes(const sigset_t& awaited, int way) {
  const timespec time{10, 0};
  if (way == 0) return ::sigtimedwait(&awaited, nullptr, &time) > 0;
  if (way == 1) {
    pollfd file{::signalfd(-1, &awaited, SFD_CLOEXEC), POLLIN, 0};
    signalfd_siginfo info;
    const bool came = ::poll(&file, 1, 10'000) == 1 && ::read(file.fd, &info, sizeof(info)) > 0;
    ::close(file.fd);
    return came;
  }
  sigset_t none;
  ::sigemptyset(&none);
  const int before = handled;
  return ::ppoll(nullptr, 0, &time, &none) == -1 && errno == EINTR && handled == before + 1;
}

// Workers have the mask of the thread that makes their pool, and so have the threads beside them.
TEST(SignalMask, IsThatOfThePoolsMaker) {
  EXPECT_EQ(run_apart([](report& r) {
              sigset_t kept;
              ::sigemptyset(&kept);
              ::sigaddset(&kept, SIGUSR1);
              const auto blocks = [] {
                sigset_t now;
                ::pthread_sigmask(SIG_SETMASK, nullptr, &now);
                return ::sigismember(&now, SIGUSR1) == 1;
              };
              heist::pool before({.workers = 2, .callers = heist::caller_kind::wait});
              if (before.run(blocks)) r.fail("a worker blocks what its maker doesn't");
              ::pthread_sigmask(SIG_BLOCK, &kept, nullptr);
              if (before.run(blocks)) r.fail("a worker's mask has changed");
            }),
            "");
  EXPECT_EQ(
      run_apart([](report& r) {
        sigset_t kept;
        ::sigemptyset(&kept);
        ::sigaddset(&kept, SIGUSR1);
        ::pthread_sigmask(SIG_BLOCK, &kept, nullptr);
        struct sigaction handler {};
        handler.sa_handler = [](int) { handled = handled + 1; };
        ::sigaction(SIGUSR1, &handler, nullptr);
        heist::pool pool({.workers = 4});
        std::atomic<bool> over{false};
        auto busy = pool.submit([&] {
          while (!over) heist::fork_join([] { fib(8); }, [] { fib(8); });
        });
        int came = 0;
        for (int i = 0; i < 40; ++i) {
          ::kill(::getpid(), SIGUSR1);
          if (comes(kept, i % 3)) ++came;
          pool.submit([] { heist::blocking([] { std::this_thread::sleep_for(100us); }); }).get();
        }
        over = true;
        busy.get();
        if (came != 40) r.fail("%d of 40 signals came", came);
      }),
      "");
}

// ---- exit()

TEST(Exits, FromAWorker) {
  const auto code_of = [](auto&& leave) {
    return run_to_its_end([&] { leave([] { std::exit(7); }); });
  };
  const auto expect_code = [](const ending& end) { EXPECT_EQ(end.how, "exit 7") << end.errors; };
  expect_code(code_of([](auto quit) { heist::default_pool().run(quit); }));
  expect_code(code_of([](auto quit) { heist::fork_join([] {}, quit); }));
  expect_code(
      code_of([](auto quit) { heist::scope([&](heist::task_scope& s) { s.spawn(quit); }); }));
  expect_code(code_of([](auto quit) { heist::submit(quit).get(); }));
  expect_code(
      code_of([](auto quit) { heist::default_pool().run([&] { heist::blocking(quit); }); }));
  expect_code(code_of([](auto quit) {
    heist::pool pool({.workers = 3});
    pool.run([&] {
      heist::parallel_for(0, 1000, [&](int i) {
        if (i == 500) quit();
      });
    });
  }));
  expect_code(code_of([](auto quit) {  // the other worker is busy
    heist::pool pool({.workers = 2});
    pool.run([&] {
      std::atomic<bool> begun{false};
      heist::fork_join(
          [&] {
            while (!begun) std::this_thread::yield();
            std::this_thread::sleep_for(5ms);
            quit();
          },
          [&] {
            begun = true;
            fib(45);
          });
    });
  }));
}

TEST(Exits, FromAWorkerOfAStaticPoolSaysWhatIsWrong) {
  const ending end = run_to_its_end([] {
    static heist::pool pool({.workers = 2});
    pool.run([] { std::exit(0); });
  });
  EXPECT_EQ(end.how, "signal 6");
  EXPECT_EQ(end.errors, "heist: a pool is destroyed by one of its own workers\n");
}

// ---- statics

// Forks in its destructor, in the default pool or in a given one.
struct forks_at_the_end {
  heist::pool* in;
  ~forks_at_the_end() {
    const long sum = in == nullptr ? fib(10) : in->run([] { return fib(10); });
    if (sum != 55) std::_Exit(3);
  }
};

TEST(Statics, EndInAnyOrder) {
  const auto expect_end = [](auto&& body) {
    const ending end = run_to_its_end([&] {
      body();
      std::exit(0);
    });
    EXPECT_EQ(end.how, "exit 0") << end.errors;
  };
  expect_end([] { static const forks_at_the_end first{nullptr}; });  // makes the default pool
  expect_end([] {
    static const forks_at_the_end first{nullptr};
    fib(5);
  });
  expect_end([] {
    fib(5);
    static const forks_at_the_end after{nullptr};
  });
  expect_end([] {
    static heist::pool pool({.workers = 3});
    static const forks_at_the_end after{&pool};
    pool.run([] { fib(12); });
  });
  expect_end([] {  // the pool ends first; later forks use the default one
    static const forks_at_the_end before{nullptr};
    static heist::pool pool({.workers = 3});
    static heist::pool another({.workers = 2});
    another.run([] { return pool.run([] { return fib(12); }); });
  });
  expect_end([] {  // with work that has not ended
    static std::atomic<int> calls{0};
    static heist::pool pool({.workers = 2});
    for (int i = 0; i < 100; ++i)
      static_cast<void>(pool.submit([] { calls += static_cast<int>(fib(10)) / 55; }));
  });
  expect_end([] {  // statistics at the end
    ::setenv("HEIST_STATS", "1", 1);
    static heist::pool pool({.workers = 2});
    static const forks_at_the_end after{nullptr};
    pool.run([] { fib(12); });
  });
}

// ---- thread_locals

std::atomic<int> made{0};
std::atomic<int> ended{0};

struct of_thread {
  of_thread() { ++made; }
  ~of_thread() { ++ended; }
  void touch() { ++touched; }
  int touched = 0;
};

TEST(ThreadLocals, AreDestroyedOnceEach) {
  for (const bool with_hook : {false, true}) {
    EXPECT_EQ(run_apart([&](report& r) {
                const auto touch = [] {
                  static thread_local of_thread mine;
                  mine.touch();
                };
                for (int round = 0; round < scaled(50); ++round) {
                  r.at(round);
                  {
                    heist::pool_config config{.workers = 4, .callers = heist::caller_kind::wait};
                    if (with_hook) config.on_thread_stop = [&](unsigned) { touch(); };
                    heist::pool pool(config);
                    pool.run([&] { heist::parallel_for(0, 1000, [&](int) { touch(); }); });
                  }
                  if (made != ended || made < 1)
                    r.fail("%d made, %d ended", made.load(), ended.load());
                }
              }),
              "");
  }
}

// A thread_local that forks in its destructor: its worker no longer has a pool, so the forks are
// calls, or work of the default pool.
TEST(ThreadLocals, MayForkAtTheirEnd) {
  EXPECT_EQ(run_apart([](report& r) {
              static std::atomic<long> sum{0};
              struct forker {
                ~forker() { sum += fib(10); }
              };
              {
                heist::pool pool({.workers = 3, .on_thread_stop = [](unsigned) {}});
                for (unsigned i = 0; i < 3; ++i)
                  pool.run_on(i, [] {
                    static thread_local std::optional<forker> mine;
                    mine.emplace();
                  });
              }
              if (sum < 55 || sum % 55 != 0) r.fail("%ld", sum.load());
            }),
            "");
}

}  // namespace
}  // namespace heist_test
