// blocking(f), whose thread may sleep while the pool continues; and when_any.
#include "heist/blocking.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/error.hpp"
#include "heist/when_any.hpp"
#include "platform/thread.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

class FuturesBlocking : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, FuturesBlocking, testing::ValuesIn(all_pools()), name_of);

// ---- blocking

TEST_P(FuturesBlocking, ResultsAndExceptionsPass) {
  pool_.run([] {
    EXPECT_EQ(heist::blocking([] { return 7; }), 7);
    int target = 0;
    EXPECT_EQ(&heist::blocking([&]() -> int& { return target; }), &target);
    EXPECT_EQ(*heist::blocking([] { return std::make_unique<int>(3); }), 3);
    heist::blocking([&] { target = 1; });
    EXPECT_EQ(target, 1);
    EXPECT_THROW(heist::blocking([] { throw std::runtime_error("no"); }), std::runtime_error);
  });
  EXPECT_EQ(heist::blocking([] { return std::this_thread::get_id(); }), std::this_thread::get_id());
}

// There are more calls than workers, and all must have begun before any may end: if they blocked
// workers, the test would hang.
TEST_P(FuturesBlocking, ThePoolGoesOnMeanwhile) {
  if (is_serial()) GTEST_SKIP();
  constexpr int n = 40;
  for (int round = 0; round < scaled(20); ++round) {
    std::mutex mutex;
    std::condition_variable all_there;
    int there = 0;
    std::atomic<int> outside{0};
    auto block = [&](int) {
      heist::blocking([&] {
        std::unique_lock hold(mutex);
        if (++there == n) all_there.notify_all();
        all_there.wait(hold, [&] { return there == n; });
        outside += heist::this_worker::index() == -1;
      });
      EXPECT_GE(heist::this_worker::index(), 0);
    };
    pool_.run([&] { fork_all(0, n, block); });
    EXPECT_EQ(outside, n);
  }
}

TEST_P(FuturesBlocking, ManyShortOnes) {
  std::atomic<long> sum{0};
  auto block = [&](int i) { sum += heist::blocking([i] { return i; }); };
  const int n = scaled(3000);
  pool_.run([&] { fork_all(0, n, block); });
  EXPECT_EQ(sum, long{n} * (n - 1) / 2);
}

TEST_P(FuturesBlocking, ThePoolWaitsForWhatWasSubmitted) {
  if (is_serial()) GTEST_SKIP();
  bool done = false;
  {
    heist::pool pool({.workers = GetParam().workers, .join = GetParam().join});
    static_cast<void>(pool.submit([&] {
      heist::blocking([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
      done = true;
    }));
  }
  EXPECT_TRUE(done);
}

TEST(FuturesBlockingRefused, RunsInPlace) {
  if (is_serial()) GTEST_SKIP();
  heist::pool pool({.workers = 2});
  heist::platform::set_thread_faults_for_test(0);
  const int where =
      pool.run([] { return heist::blocking([] { return heist::this_worker::index(); }); });
  heist::platform::set_thread_faults_for_test(-1);
  EXPECT_GE(where, 0);
  EXPECT_EQ(pool.stats().blocking_refusals, 1U);
  EXPECT_EQ(pool.run([] { return heist::blocking([] { return heist::this_worker::index(); }); }),
            -1);
}

TEST(FuturesBlockingRefused, MoreThanTheLimitRunInPlace) {
  if (is_serial()) GTEST_SKIP();
  constexpr int limit = 256;
  heist::pool pool({.workers = 2});
  std::atomic<int> begun{0};
  std::atomic<int> in_place{0};
  signal_flag open;
  auto block = [&](int) {
    heist::blocking([&] {
      const bool is_worker = heist::this_worker::index() >= 0;
      in_place += is_worker;
      // The last calls find no free thread, run on the workers, and let all others end.
      if (++begun == limit + 1) open.raise();
      EXPECT_TRUE(open.wait());
    });
  };
  pool.run([&] { fork_all(0, limit + 1, block); });
  EXPECT_EQ(in_place, 1);
  const heist::pool_stats s = pool.stats();
  EXPECT_EQ(s.blocking_calls, static_cast<std::uint64_t>(limit));
  EXPECT_EQ(s.blocking_refusals, 1U);
  EXPECT_EQ(s.blocking_threads_peak, static_cast<std::uint64_t>(limit));
}

// ---- the counters in pool.stats()

TEST_P(FuturesBlocking, CallsAndTheirThreadsAreCounted) {
  if (is_serial()) GTEST_SKIP();
  constexpr int n = 5;
  EXPECT_EQ(pool_.stats().blocking_threads_peak, 0U);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    std::atomic<int> there{0};
    signal_flag open;
    std::thread opener([&] {
      EXPECT_TRUE(eventually([&] { return there == n; }));
      const heist::pool_stats s = pool_.stats();
      EXPECT_EQ(s.blocking_threads_in_use, static_cast<std::uint64_t>(n));
      EXPECT_EQ(s.blocking_calls, n * round);
      open.raise();
    });
    auto block = [&](int) {
      heist::blocking([&] {
        ++there;
        EXPECT_TRUE(open.wait());
      });
    };
    pool_.run([&] { fork_all(0, n, block); });
    opener.join();
    // A thread is free again soon after its caller has continued.
    EXPECT_TRUE(eventually([&] { return pool_.stats().blocking_threads_in_use == 0; }));
  }
  const heist::pool_stats s = pool_.stats();
  EXPECT_EQ(s.blocking_threads_peak, static_cast<std::uint64_t>(n));  // used again
  EXPECT_EQ(s.blocking_refusals, 0U);
  EXPECT_NE(to_string(s).find("blocking: 15 calls on 0 threads now, 5 at most; 0 calls on workers"),
            std::string::npos)
      << to_string(s);
  heist::blocking([] {});  // outside any pool: no pool's
  EXPECT_EQ(pool_.stats().blocking_calls, 15U);
}

// ---- when_any

TEST_P(FuturesBlocking, WhenAnyTellsWhichWasFirst) {
  for (int i = 0; i < scaled(100); ++i) {
    if (is_serial()) break;
    const auto go = std::make_shared<heist::detail::wait_point>();
    auto slow = [go] {
      go->wait();
      return std::string("slow");
    };
    auto first =
        heist::when_any(pool_.submit(slow), pool_.submit([i] { return i; }), pool_.submit([i] {
          return std::make_unique<int>(i);
        })).get();
    EXPECT_NE(first.index(), 0U);
    go->end();
  }
  auto only = heist::when_any(pool_.submit([] {})).get();
  EXPECT_EQ(only.index(), 0U);
}

TEST_P(FuturesBlocking, WhenAnyOfMany) {
  for (int round = 0; round < scaled(60); ++round) {
    std::vector<heist::future<int>> many;
    std::atomic<int> ran{0};
    constexpr int n = 20;
    for (int i = 0; i < n; ++i)
      many.push_back(pool_.submit([&, i] {
        ++ran;
        return 10 * i;
      }));
    const auto first = heist::when_any(std::move(many)).get();
    EXPECT_EQ(first.value, 10 * static_cast<int>(first.index));
    EXPECT_TRUE(eventually([&] { return ran == n; }));  // the others continue
  }
  std::vector<heist::future<void>> voids;
  voids.push_back(pool_.submit([] {}));
  EXPECT_EQ(heist::when_any(std::move(voids)).get().index, 0U);
}

TEST_P(FuturesBlocking, WhenAnyThrowsWhatTheFirstThrew) {
  if (is_serial()) GTEST_SKIP();
  const auto go = std::make_shared<heist::detail::wait_point>();
  {
    auto any = heist::when_any(pool_.submit([go] { go->wait(); }),
                               pool_.submit([]() -> int { throw std::runtime_error("first"); }));
    EXPECT_THROW(any.get(), std::runtime_error);
  }
  go->end();
  // One future is dropped while all functions still run.
  static_cast<void>(
      heist::when_any(pool_.submit([] { return 1; }), pool_.submit([] { return 2; })));
  EXPECT_EQ(heist::when_any(pool_.submit([] { return 1; }))
                .then([](auto which) { return std::get<0>(which); })
                .get(),
            1);
}

TEST(FuturesMisused, WhenAnyOfNothing) {
  EXPECT_THROW(static_cast<void>(heist::when_any(std::vector<heist::future<int>>{})),
               heist::usage_error);
  EXPECT_THROW(static_cast<void>(heist::when_any(heist::future<int>{})), heist::usage_error);
}

}  // namespace
}  // namespace heist_test
