// Futures: the result or the exception arrives once, no matter who waits, and every submitted
// function runs to its end.
#include "heist/future.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "heist/policy.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

class Futures : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Futures, testing::ValuesIn(few_pools()), name_of);

struct boom : std::runtime_error {
  explicit boom(int n) : std::runtime_error("boom"), number(n) {}
  int number;
};

template <class F>
int number_thrown_by(F&& f) {
  try {
    f();
  } catch (const boom& b) {
    return b.number;
  }
  return -1;
}

TEST_P(Futures, TheResultArrives) {
  auto f = pool_.submit([] { return heist::this_worker::index(); });
  ASSERT_TRUE(f.valid());
  f.wait();
  EXPECT_TRUE(f.is_ready());
  const int index = f.get();
  if (!is_serial()) {
    EXPECT_GE(index, 0);
  }
  EXPECT_FALSE(f.valid());
}

TEST_P(Futures, MovingLeavesNoResultBehind) {
  auto f = pool_.submit([] { return 1; });
  auto g = pool_.submit([] { return 2; });
  f = std::move(g);
  EXPECT_FALSE(g.valid());  // NOLINT(bugprone-use-after-move): that is the question
  ASSERT_TRUE(f.valid());
  auto& same = f;
  f = std::move(same);
  ASSERT_TRUE(f.valid());
  EXPECT_EQ(f.get(), 2);
}

TEST_P(Futures, ResultsOfEveryKind) {
  int target = 0;
  pool_.submit([] {}).get();
  int& reference = pool_.submit([&]() -> int& { return target; }).get();
  EXPECT_EQ(&reference, &target);
  EXPECT_EQ(*pool_.submit([p = std::make_unique<int>(5)]() mutable { return std::move(p); }).get(),
            5);
  EXPECT_EQ(number_thrown_by([&] { pool_.submit([]() -> int { throw boom(7); }).get(); }), 7);
}

TEST_P(Futures, ManyFromOutsideAndFromWorkers) {
  const int n = scaled(2000);
  std::vector<heist::future<int>> outside;
  for (int i = 0; i < n; ++i) outside.push_back(pool_.submit([i] { return i; }));
  const long inside = pool_.run([&] {
    std::vector<heist::future<int>> all;
    for (int i = 0; i < n; ++i) all.push_back(heist::submit([i] { return i; }));
    long sum = 0;
    for (auto& f : all) sum += f.get();
    return sum;
  });
  long sum = 0;
  for (auto& f : outside) sum += f.get();
  EXPECT_EQ(sum, long{n} * (n - 1) / 2);
  EXPECT_EQ(inside, sum);
}

TEST_P(Futures, RecursionThroughFutures) {
  struct fib {
    static int of(int n) {
      if (n < 2) return n;
      heist::future<int> a = heist::submit([n] { return of(n - 1); });
      const int b = of(n - 2);
      return a.get() + b;
    }
  };
  EXPECT_EQ(pool_.run([] { return fib::of(tsan ? 10 : 14); }), tsan ? 55 : 377);
}

TEST_P(Futures, AWaitingWorkerRunsWhatItWaitsFor) {
  // There are as many waiters as workers, and more.
  auto waiter = [&](int) { EXPECT_EQ(pool_.submit([] { return 3; }).get(), 3); };
  pool_.run([&] { fork_all(0, 64, waiter); });
}

TEST_P(Futures, WaitingForAnotherPool) {
  heist::pool other({.workers = 2});
  for (int i = 0; i < scaled(300); ++i)
    ASSERT_EQ(pool_.run([&] { return other.submit([i] { return i; }).get(); }), i);
}

TEST_P(Futures, WhatNobodyKeepsIsRunToItsEnd) {
  std::atomic<int> ran{0};
  std::atomic<int> submitted_later{0};
  {
    heist::pool pool({.workers = GetParam().workers});
    for (int i = 0; i < 50; ++i)
      static_cast<void>(pool.submit([&] {
        heist::detail::wait_point point;
        if (!is_serial()) heist::fork_join([&] { point.wait(); }, [&] { point.end(); });
        static_cast<void>(heist::submit([&] { ++submitted_later; }));
        ++ran;
      }));
  }
  EXPECT_EQ(ran, 50);
  EXPECT_EQ(submitted_later, 50);
}

// All workers sleep or search when the pool is destroyed, and one fiber is still suspended.
TEST_P(Futures, ThePoolWaitsForWhatIsSuspended) {
  if (is_serial()) GTEST_SKIP();
  for (int round = 0; round < scaled(30); ++round) {
    heist::detail::wait_point point;
    signal_flag begun;
    bool done = false;
    std::thread ender;
    {
      heist::pool pool({.workers = GetParam().workers});
      static_cast<void>(pool.submit([&] {
        begun.raise();
        point.wait();
        done = true;
      }));
      ender = std::thread([&] {
        EXPECT_TRUE(begun.wait());
        linger(std::chrono::microseconds(50 * (round % 4)));
        point.end();
      });
    }
    EXPECT_TRUE(done);
    ender.join();
  }
}

TEST_P(Futures, TheClosureIsGoneWhenTheResultIsThere) {
  for (int i = 0; i < scaled(200); ++i) {
    auto f = pool_.submit([c = counted()] {});
    f.wait();
    ASSERT_EQ(counted::alive, 0);
  }
}

TEST_P(Futures, ThenGoesOnWithTheResult) {
  for (int i = 0; i < scaled(300); ++i) {
    auto f = pool_.submit([i] { return std::make_unique<int>(i); })
                 .then([](std::unique_ptr<int> p) { return *p + 1; })
                 .then([](int n) { EXPECT_GE(n, 1); })
                 .then([] { return std::string("end"); });
    ASSERT_EQ(f.get(), "end");
  }
}

TEST_P(Futures, ThenAfterTheResultIsThere) {
  auto f = pool_.submit([] { return 1; });
  f.wait();
  auto g = pool_.run([&] { return std::move(f).then([](int n) { return n + 1; }); });
  EXPECT_FALSE(f.valid());
  EXPECT_EQ(g.get(), 2);
  auto h = pool_.submit([] { return 1; });
  h.wait();
  EXPECT_EQ(std::move(h).then([](int n) { return n + 2; }).get(), 3);  // in the default pool
}

TEST_P(Futures, AnExceptionPassesThroughThen) {
  bool called = false;
  auto f = pool_.submit([]() -> int { throw boom(4); }).then([&](int n) {
    called = true;
    return n;
  });
  EXPECT_EQ(number_thrown_by([&] { f.get(); }), 4);
  EXPECT_FALSE(called);
  auto g = pool_.submit([] { return 1; }).then([](int) -> int { throw boom(5); });
  EXPECT_EQ(number_thrown_by([&] { g.get(); }), 5);
}

TEST_P(Futures, WhenAllOfSeveralTypes) {
  int x = 0;
  auto all = heist::when_all(pool_.submit([] { return 1; }), pool_.submit([] {}),
                             pool_.submit([] { return std::make_unique<int>(2); }),
                             pool_.submit([&]() -> int& { return x; }));
  auto [one, nothing, two, reference] = all.get();
  EXPECT_EQ(one + *two, 3);
  EXPECT_EQ(&reference, &x);
}

TEST_P(Futures, WhenAllOfMany) {
  for (const int n : {0, 1, 100}) {
    std::vector<heist::future<int>> many;
    std::vector<heist::future<void>> voids;
    std::atomic<int> ran{0};
    for (int i = 0; i < n; ++i) {
      many.push_back(pool_.submit([i] { return i; }));
      voids.push_back(pool_.submit([&] { ++ran; }));
    }
    const std::vector<int> values = heist::when_all(std::move(many)).get();
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), n * (n - 1) / 2);
    heist::when_all(std::move(voids)).then([&, n] { EXPECT_EQ(ran, n); }).get();
  }
}

TEST_P(Futures, WhenAllThrowsTheFirstInOrderAfterAllHaveEnded) {
  std::atomic<int> ended{0};
  std::vector<heist::future<int>> many;
  for (int i = 0; i < 20; ++i)
    many.push_back(pool_.submit([&, i]() -> int {
      ++ended;
      if (i % 7 == 3) throw boom(i);
      return i;
    }));
  EXPECT_EQ(number_thrown_by([&] { heist::when_all(std::move(many)).get(); }), 3);
  EXPECT_EQ(ended, 20);
}

TEST_P(Futures, ATaskThatWaitsForItselfIsTold) {
  if (is_serial()) GTEST_SKIP();
  std::optional<heist::future<int>> own;
  signal_flag there;
  std::string what;
  own = pool_.submit([&]() -> int {
    EXPECT_TRUE(there.wait());
    what = complaint_of([&] { own->wait(); });
    return 1;
  });
  there.raise();
  // This does not use get(), because the other function looks at the future too.
  EXPECT_TRUE(eventually([&] { return own->is_ready(); }));
  EXPECT_NE(what.find("own result"), std::string::npos);
  EXPECT_EQ(own->get(), 1);
}

TEST_P(Futures, WhatHasNoResultIsRefused) {
  heist::future<int> f = pool_.submit([] { return 1; });
  EXPECT_EQ(f.get(), 1);
  EXPECT_NE(complaint_of([&] { f.get(); }).find("future::get"), std::string::npos);
  EXPECT_NE(complaint_of([&] { f.wait(); }).find("future::wait"), std::string::npos);
  EXPECT_NE(complaint_of([&] { static_cast<void>(f.is_ready()); }).find("future::is_ready"),
            std::string::npos);
  EXPECT_NE(complaint_of([&] { std::move(f).then([](int) {}).get(); }).find("future::then"),
            std::string::npos);
  EXPECT_NE(complaint_of([&] { heist::when_all(std::move(f)).get(); }).find("future::when_all"),
            std::string::npos);
}

TEST(FuturesAlone, SubmitOutsideGoesToTheDefaultPool) {
  EXPECT_EQ(heist::submit([] { return heist::this_worker::index() >= 0; }).get(), !is_serial());
}

TEST(FuturesAlone, AChildOfForkIsRefusedItsParentsPool) {
  if (is_serial() || tsan) GTEST_SKIP();
  heist::pool pool({.workers = 2});
  pool.submit([] {}).get();
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = complaint_of([&] { static_cast<void>(pool.submit([] {})); }) != "none";
    const bool works = heist::submit([] { return 5; }).get() == 5;
    _exit(refused && works ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// The leaves of a tree of forks, each of which submits something and waits for it. With a stack for
// each of them the pool would have thousands, and in the end none.
template <class Leaf>
void fork_leaves(int depth, const Leaf& leaf) {
  if (depth == 0) return leaf();
  heist::fork_join([&] { fork_leaves(depth - 1, leaf); }, [&] { fork_leaves(depth - 1, leaf); });
}

TEST_P(Futures, InTheLeavesOfForksNeedFewStacks) {
  if (heist::detail::waits_are_checked()) GTEST_SKIP() << "each function has a fiber";
  const int depth = tsan || emulated ? 7 : 12;
  std::atomic<long> called{0};
  pool_.run([&] { fork_leaves(depth, [&] { heist::submit([&] { ++called; }).get(); }); });
  EXPECT_EQ(called, 1L << depth);
  EXPECT_LE(pool_.stats().stacks_peak, 300U + 40U * pool_.workers());
}

// The one that waits calls what it waits for only while enough of its stack is left.
TEST(FuturesInChains, ThatAreLongOverflowNoStack) {
  heist::pool pool({.workers = 1, .stack_size = 64 * 1024});
  const int length = scaled(4000);
  const long sum = pool.run([&] {
    heist::future<long> last = pool.submit([] { return 0L; });
    for (int i = 0; i < length; ++i)
      last = pool.submit([before = std::move(last)]() mutable { return before.get() + 1; });
    return last.get();
  });
  EXPECT_EQ(sum, length);
}

// A function that for ever waits for new ones lets others have a turn.
TEST(FuturesInTurn, LetWhatWaitsAtTheEntryBegin) {
  if (is_serial()) GTEST_SKIP() << "a submit is a call";
  const watchdog guard("a function at the entry");
  heist::pool pool({.workers = 1});
  std::atomic<bool> stop{false};
  const heist::future<void> waiting = pool.submit([&] {
    while (!stop) pool.submit([] {}).get();
  });
  pool.submit([&] { stop = true; }).get();
  waiting.wait();
  EXPECT_TRUE(stop);
}

// No matter who calls it: a function sees no exception but its own.
TEST_P(Futures, AreMadeWithoutTheWaitersExceptions) {
  const auto seen = [] {
    return (std::uncaught_exceptions() == 0 ? 0 : 1) +
           (std::current_exception() == nullptr ? 0 : 2);
  };
  struct waiting_in_its_destructor {
    ~waiting_in_its_destructor() { found = made.get(); }
    heist::future<int> made;
    int& found;
  };
  int in_a_handler = -1;
  int while_unwinding = -1;
  pool_.run([&] {
    try {
      const waiting_in_its_destructor last{pool_.submit(seen), while_unwinding};
      throw boom(1);
    } catch (const boom&) {
      in_a_handler = pool_.submit(seen).get();
      EXPECT_NE(std::current_exception(), nullptr);
    }
  });
  if (is_serial()) return;  // a submit is a call
  EXPECT_EQ(in_a_handler, 0);
  EXPECT_EQ(while_unwinding, 0);
}

TEST(FuturesUnderPolicies, AreFreeOfThePolicyOfWhoWaits) {
  if (is_serial()) GTEST_SKIP() << "every fork is a call";
  const watchdog guard("a fork that a thief must take");
  heist::pool pool({.workers = 2});
  // Its branches meet, so it needs two workers.
  const auto meet = [] {
    std::atomic<bool> met{false};
    bool has_met = false;
    heist::fork_join([&] { has_met = eventually([&] { return met.load(); }); },
                     [&] { met = true; });
    return has_met;
  };
  EXPECT_TRUE(pool.run([&] {
    return heist::with(heist::policy::serial, [&] { return heist::submit(meet).get(); });
  }));
}

// What waits isn't known to what it waits for.
TEST(FuturesInChains, DoNotNeedAllStacks) {
  if (is_serial()) GTEST_SKIP() << "a submit is a call";
  if (tsan || emulated) GTEST_SKIP() << "many stacks";
  heist::pool pool({.workers = 2});
  constexpr int depth = 14;
  std::atomic<long> called{0};
  const auto chain = [&] {
    heist::submit([&] { ++called; }).then([&] { ++called; }).then([&] { ++called; }).get();
  };
  pool.run([&] { fork_leaves(depth, chain); });
  EXPECT_EQ(called, 3L << depth);
  EXPECT_LE(pool.stats().stacks_peak, 5000U);
}

// The function that is called by the one who waits for it finds what any other finds.
TEST(FuturesOnOneWorker, AreMadeByTheWaiter) {
  if (is_serial()) GTEST_SKIP() << "a submit is a call";
  if (heist::detail::waits_are_checked()) GTEST_SKIP() << "each function has a fiber";
  heist::pool pool({.workers = 1});
  pool.run([] {
    const void* const here = heist::detail::current_fiber();
    heist::future<int> outer = heist::submit([here] {
      EXPECT_EQ(heist::detail::current_fiber(), here);
      heist::future<int> inner = heist::submit([]() -> int { throw boom(7); });
      EXPECT_EQ(number_thrown_by([&] { inner.get(); }), 7);
      return 8;
    });
    EXPECT_EQ(outer.get(), 8);
  });
}

}  // namespace
}  // namespace heist_test
