// One thread calls fork() while another one uses heist for the first time, or takes the library's
// locks.
#include <gtest/gtest.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

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
                // Now and then a child that has called _exit() is waited for for seconds.
                const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                for (int i = 0; i < 100 && std::chrono::steady_clock::now() < end; ++i) {
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
                std::fputs("children work\n", stderr);
              }),
              testing::ExitedWithCode(0), "children work");
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

// ---- fork_join calls every kind of function, in place or moved as promised.

// Runs fork_join(f, g) so that a second worker has to take g.
template <class G>
auto stolen(G&& g) {
  heist::pool pool({.workers = 2});
  auto result = pool.run([&] {
    const auto taken = [&pool] { return pool.stats().total.steals; };
    return heist::fork_join([&] { EXPECT_TRUE(eventually([&] { return taken() != 0; })); },
                            std::forward<G>(g));
  });
  EXPECT_EQ(pool.stats().total.steals, 1U);
  return std::get<1>(std::move(result));
}

// Runs the function without a thief, as the first and as the second function.
template <class G>
auto called(G&& g) {
  heist::pool pool({.workers = 1});
  return std::get<1>(pool.run([&] { return heist::fork_join([] {}, std::forward<G>(g)); }));
}

struct counter {
  int calls = 0;
  counter() = default;
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;
  int operator()() { return ++calls; }
};

TEST(ForkJoinClosures, LvaluesAreCalledInPlace) {
  counter c;
  EXPECT_EQ(called(c), 1);
  EXPECT_EQ(stolen(c), 2);
  EXPECT_EQ(c.calls, 2);
  auto small = [n = 0]() mutable { return ++n; };
  EXPECT_EQ(called(small), 1);
  EXPECT_EQ(stolen(small), 2);
  EXPECT_EQ(small(), 3);
}

TEST(ForkJoinClosures, MoveOnlyRvaluesAreCalledAsRvalues) {
  struct consumer {
    std::unique_ptr<int> value;
    int operator()() && { return *std::exchange(value, nullptr); }
  };
  EXPECT_EQ(called(consumer{std::make_unique<int>(3)}), 3);
  EXPECT_EQ(stolen(consumer{std::make_unique<int>(4)}), 4);
}

// The value category of a function object decides which operator() is called, even in the slot.
struct overloaded {
  std::string operator()() & { return "lvalue"; }
  std::string operator()() const& { return "const lvalue"; }
  std::string operator()() && { return "rvalue"; }
  std::string operator()() const&& { return "const rvalue"; }
};

TEST(ForkJoinClosures, ValueCategoryAndConstAreKept) {
  overloaded o;
  const overloaded c;
  EXPECT_EQ(called(o), "lvalue");
  EXPECT_EQ(stolen(o), "lvalue");
  EXPECT_EQ(called(c), "const lvalue");
  EXPECT_EQ(stolen(c), "const lvalue");
  EXPECT_EQ(called(overloaded{}), "rvalue");
  EXPECT_EQ(stolen(overloaded{}), "rvalue");
  EXPECT_EQ(called(std::move(c)), "const rvalue");
  EXPECT_EQ(stolen(std::move(c)), "const rvalue");
}

template <std::size_t Bytes>
void expect_bytes_arrive() {
  std::array<unsigned char, Bytes> bytes;
  for (std::size_t i = 0; i < Bytes; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + 1);
  const auto same = [&bytes](const auto& other) { return bytes == other; };
  EXPECT_TRUE(same(called([bytes] { return bytes; }))) << Bytes;
  EXPECT_TRUE(same(stolen([bytes] { return bytes; }))) << Bytes;
}

TEST(ForkJoinClosures, EverySizeArrivesWhole) {
  expect_bytes_arrive<1>();
  expect_bytes_arrive<7>();
  expect_bytes_arrive<8>();
  expect_bytes_arrive<9>();
  expect_bytes_arrive<39>();
  expect_bytes_arrive<40>();
  expect_bytes_arrive<41>();
  expect_bytes_arrive<64>();
  expect_bytes_arrive<5000>();
}

struct alignas(128) aligned_function {
  int value;
  bool operator()() const {
    return reinterpret_cast<std::uintptr_t>(this) % 128 == 0 && value == 5;
  }
};

TEST(ForkJoinClosures, OverAlignedOnesStayAligned) {
  EXPECT_TRUE(called(aligned_function{5}));
  EXPECT_TRUE(stolen(aligned_function{5}));
}

int free_function() { return 9; }

TEST(ForkJoinClosures, EmptyOnesFunctionsAndPointersToThem) {
  EXPECT_EQ(called([] { return 8; }), 8);
  EXPECT_EQ(stolen([] { return 8; }), 8);
  EXPECT_EQ(called(free_function), 9);
  EXPECT_EQ(stolen(free_function), 9);
  EXPECT_EQ(called(&free_function), 9);
  EXPECT_EQ(stolen(&free_function), 9);
  EXPECT_EQ(stolen(std::function<int()>(free_function)), 9);
}

TEST(ForkJoinClosures, NoexceptOnes) {
  EXPECT_EQ(called([]() noexcept { return 1; }), 1);
  EXPECT_EQ(stolen([]() noexcept { return 2; }), 2);
  heist::pool pool({.workers = 1});
  EXPECT_EQ(pool.run([] {
    return heist::fork_join([]() noexcept { return 3; }, []() noexcept { return 4; });
  }),
            std::tuple(3, 4));
}

TEST(ForkJoinClosures, FromOutsideLvaluesAreCalledInPlaceToo) {
  counter f;
  counter g;
  EXPECT_EQ(heist::fork_join(f, g), std::tuple(1, 1));
  EXPECT_EQ(heist::fork_join(f, [p = std::make_unique<int>(5)] { return *p; }), std::tuple(2, 5));
  EXPECT_EQ(f.calls, 2);
  EXPECT_EQ(g.calls, 1);
}

}  // namespace
}  // namespace heist_test
