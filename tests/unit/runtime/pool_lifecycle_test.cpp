// Pools are made and destroyed in any order, many at once, and thousands one after the other; their
// hooks run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"

namespace heist_test {
namespace {

long entries(const char* folder) {
  long n = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(folder)) ++n;
  return n;
}

long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  return 0;
}

TEST(PoolLifecycle, AnUnusedPoolEnds) {
  const watchdog guard("unused pools");
  for (unsigned workers = 1; workers <= 8; ++workers) heist::pool pool({.workers = workers});
}

TEST(PoolLifecycle, ThousandsOfPoolsLeaveNothingBehind) {
  const watchdog guard("thousands of pools");
  const long threads = entries("/proc/self/task");
  const auto use_one = [](int i) {
    heist::pool pool({.workers = 1U + static_cast<unsigned>(i) % 3});
    // Some pools are destroyed right after their start, some when their work ends, some while
    // workers are about to sleep.
    if (i % 4 != 0) {
      EXPECT_EQ(pool.run([] { return fib(5); }), 5);
    }
    if (i % 97 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  for (int i = 0; i < 200; ++i) use_one(i);
  const long files = entries("/proc/self/fd");
  const long before = resident_kib();
  const int rounds = scaled(2500);
  for (int i = 0; i < rounds; ++i) use_one(i);
  // A thread that was joined may still be in the kernel's list for a moment.
  EXPECT_TRUE(eventually([&] { return entries("/proc/self/task") <= threads; }));
  EXPECT_EQ(entries("/proc/self/fd"), files);
  if (!asan && !tsan && !emulated) {  // these record every mapping
    EXPECT_LT(resident_kib(), before + 2048) << "KiB in memory";
  }
}

TEST(PoolLifecycle, ManyAtOnceEndInAnyOrder) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const watchdog guard("many pools, seed " + std::to_string(seed));
  for (int round = 0; round < scaled(40); ++round) {
    std::vector<std::unique_ptr<heist::pool>> pools;
    for (unsigned i = 0; i < 12; ++i)
      pools.push_back(std::make_unique<heist::pool>(
          heist::pool_config{.workers = 1 + static_cast<unsigned>(random()) % 4}));
    std::shuffle(pools.begin(), pools.end(), random);
    for (auto& pool : pools) {
      EXPECT_EQ(pool->run([] { return fib(8); }), 21);
    }
    std::shuffle(pools.begin(), pools.end(), random);
    while (!pools.empty()) pools.pop_back();
  }
}

TEST(PoolLifecycle, PoolsStartAndEndOnSeveralThreadsAtOnce) {
  const watchdog guard("pools on several threads");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < scaled(200); ++i) {
        heist::pool pool({.workers = 2});
        EXPECT_EQ(pool.run([] { return fib(7); }), 13);
      }
    });
  for (auto& thread : threads) thread.join();
}

TEST(PoolLifecycle, APoolMadeOnAWorkerEndsThere) {
  const watchdog guard("a pool on a worker");
  heist::pool outer({.workers = 2});
  for (int i = 0; i < scaled(100); ++i) {
    EXPECT_EQ(outer.run([] {
      heist::pool inner({.workers = 2});
      return inner.run([] { return fib(8); });
    }),
              21);
  }
}

TEST(PoolLifecycle, ManyThreadsOutsideEachGetTheirOwnAnswer) {
  const watchdog guard("many threads outside");
  heist::pool pool({.workers = 3});
  constexpr int threads = 16;
  constexpr int rounds = scaled(300);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&pool, t] {
      for (int i = 0; i < rounds; ++i) {
        const int mine = t * 10'000 + i;
        if (i % 3 == 0) {
          try {
            pool.run([mine] { throw mine; });
            ADD_FAILURE() << "nothing was thrown";
          } catch (int thrown) {
            EXPECT_EQ(thrown, mine);
          }
        } else {
          EXPECT_EQ(pool.run([mine] { return fib(6) + mine; }), 8 + mine);
        }
      }
    });
  for (auto& thread : all) thread.join();
  EXPECT_EQ(pool.stats().total.roots, static_cast<std::uint64_t>(threads * rounds));
}

TEST(PoolLifecycle, RunGivesBackWhatItsFunctionGives) {
  heist::pool pool({.workers = 1});
  int x = 0;
  static_assert(std::is_void_v<decltype(pool.run([] {}))>);
  static_assert(std::is_same_v<decltype(pool.run([&]() -> int& { return x; })), int&>);
  EXPECT_EQ(&pool.run([&]() -> int& { return x; }), &x);
  EXPECT_EQ(*pool.run([] { return std::make_unique<int>(7); }), 7);
  auto counting = [n = 0]() mutable { return ++n; };
  EXPECT_EQ(pool.run(counting), 1);
  EXPECT_EQ(pool.run(counting), 2);
  EXPECT_EQ(pool.run([&] { return pool.run([] { return 8; }); }), 8);
}

TEST(ThisWorker, IndexIsMinusOneOutsideAndBelowWorkersInside) {
  EXPECT_EQ(heist::this_worker::index(), -1);
  heist::pool pool({.workers = 3});
  for (int i = 0; i < 50; ++i) {
    const int index = pool.run([] { return heist::this_worker::index(); });
    EXPECT_GE(index, 0);
    EXPECT_LT(index, 3);
  }
  EXPECT_EQ(heist::this_worker::index(), -1);
}

class Hooks : public testing::TestWithParam<heist::join_kind> {};

TEST_P(Hooks, AreCalledOnceOnEachThreadWithItsIndex) {
  constexpr unsigned workers = 5;
  std::atomic<int> starts[workers] = {};
  std::atomic<int> stops[workers] = {};
  std::thread::id threads[workers];
  const auto check_index = [](unsigned i) {
    EXPECT_EQ(heist::this_worker::index(), static_cast<int>(i));
  };
  {
    heist::pool pool({.workers = workers,
                      .join = GetParam(),
                      .on_thread_start =
                          [&](unsigned i) {
                            starts[i].fetch_add(1, std::memory_order_relaxed);
                            threads[i] = std::this_thread::get_id();
                            check_index(i);
                          },
                      .on_thread_stop =
                          [&](unsigned i) {
                            stops[i].fetch_add(1, std::memory_order_relaxed);
                            EXPECT_EQ(threads[i], std::this_thread::get_id());
                            check_index(i);
                          }});
    EXPECT_EQ(pool.run([] { return fib(12); }), 144);
    for (const auto& n : stops) EXPECT_EQ(n.load(std::memory_order_relaxed), 0);
  }
  for (const auto& n : starts) EXPECT_EQ(n.load(std::memory_order_relaxed), 1);
  for (const auto& n : stops) EXPECT_EQ(n.load(std::memory_order_relaxed), 1);
}

TEST_P(Hooks, MayForkAndUseAnotherPool) {
  const watchdog guard("hooks that fork");
  for (int round = 0; round < scaled(100); ++round) {
    heist::pool other({.workers = 2});
    std::atomic<int> calls{0};
    std::atomic<long> sum{0};
    const auto work = [&](unsigned) {
      calls.fetch_add(1, std::memory_order_relaxed);
      sum.fetch_add(fib(10) + other.run([] { return fib(6); }), std::memory_order_relaxed);
    };
    {
      const auto deque = heist::all_deque_kinds[static_cast<std::size_t>(round) %
                                                std::size(heist::all_deque_kinds)];
      heist::pool pool({.workers = 3,
                        .deque = deque,
                        .join = GetParam(),
                        .on_thread_start = work,
                        .on_thread_stop = work});
      EXPECT_EQ(pool.run([] { return fib(10); }), 55);
    }
    EXPECT_EQ(calls.load(std::memory_order_relaxed), 6);
    EXPECT_EQ(sum.load(std::memory_order_relaxed), 6 * (55 + 8));
  }
}

INSTANTIATE_TEST_SUITE_P(Joins, Hooks,
                         testing::Values(heist::join_kind::greedy, heist::join_kind::stalling),
                         [](const auto& p) {
                           return p.param == heist::join_kind::greedy ? "Greedy" : "Stalling";
                         });

using PoolDeathTest = fresh_process;

TEST_F(PoolDeathTest, AWorkerThatDestroysItsOwnPoolIsToldSo) {
  EXPECT_DEATH(
      {
        auto pool = std::make_unique<heist::pool>(heist::pool_config{.workers = 2});
        auto* const raw = pool.get();
        raw->run([&] { pool.reset(); });
      },
      "destroyed by one of its own workers");
}

// ---- The default pool: what it will be before it is made, and the pool where the caller is.

using testing::ExitedWithCode;

class DefaultPool : public fresh_process {};
using DefaultPoolDeathTest = DefaultPool;

// How many threads the process has.
int threads_here() {
  int n = 0;
  if (std::FILE* const status = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof(line), status) != nullptr)
      if (std::sscanf(line, "Threads: %d", &n) == 1) break;
    std::fclose(status);
  }
  return n;
}

TEST_F(DefaultPoolDeathTest, IsNotMadeByThoseWhoAsk) {
  EXPECT_EXIT(run_and_exit([] {
                ::setenv("HEIST_WORKERS", "5", 1);
                const int before = threads_here();
                const unsigned workers = heist::default_pool_workers();
                if (heist::this_worker::pool() != nullptr || heist::this_worker::workers() != 0)
                  throw std::runtime_error("outside of any pool there is one");
                std::fprintf(stderr, "%u workers, %d threads more\n", workers,
                             threads_here() - before);
              }),
              ExitedWithCode(0), "^5 workers, 0 threads more\n$");
}

TEST_F(DefaultPoolDeathTest, HasAsManyWorkersAsWasSaid) {
  EXPECT_EXIT(run_and_exit([] {
                ::setenv("HEIST_WORKERS", "5", 1);
                const unsigned said = heist::default_pool_workers();
                ::setenv("HEIST_WORKERS", "3", 1);
                const unsigned again = heist::default_pool_workers();
                std::fprintf(stderr, "%u, %u, %u, %u\n", said, again,
                             heist::default_pool().workers(), heist::default_pool_workers());
              }),
              ExitedWithCode(0), "^5, 5, 5, 5\n$");
}

TEST_F(DefaultPoolDeathTest, IsMadeAsConfigured) {
  EXPECT_EXIT(run_and_exit([] {
                heist::configure_default_pool({.workers = 7});
                heist::configure_default_pool({.workers = 3, .name = "mine"});
                const unsigned said = heist::default_pool_workers();
                const unsigned inside = heist::default_pool().run(&heist::this_worker::workers);
                std::fprintf(stderr, "%u, %u, %s\n", said, inside,
                             heist::default_pool().config().name.c_str());
              }),
              ExitedWithCode(0), "^3, 3, mine\n$");
}

TEST_F(DefaultPoolDeathTest, ConfiguringItLateIsRefused) {
  EXPECT_EXIT(run_and_exit([] {
                heist::configure_default_pool({.workers = 2});
                heist::default_pool().run([] {});
                heist::configure_default_pool({.workers = 3});
              }),
              ExitedWithCode(code_usage),
              "^configure_default_pool: the default pool has been made");
}

TEST_F(DefaultPoolDeathTest, NonsenseIsRefusedAtOnce) {
  EXPECT_EXIT(run_and_exit([] { heist::configure_default_pool({.workers = 5000}); }),
              ExitedWithCode(code_usage), "workers.*5000");
}

TEST_F(DefaultPoolDeathTest, ChildrenOfForkMakeTheirsAlike) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer lets no child of several threads start one";
  if (emulated) GTEST_SKIP() << "qemu fails an assertion of its own in such a child";
  EXPECT_EXIT(run_and_exit([] {
                heist::configure_default_pool({.workers = 3});
                heist::default_pool().run([] {});
                const int alike = in_forked_child(
                    [] { return static_cast<int>(heist::default_pool().workers()); });
                const int other = in_forked_child([] {
                  heist::configure_default_pool({.workers = 4});
                  return static_cast<int>(heist::default_pool().workers());
                });
                std::fprintf(stderr, "%d, %d\n", alike, other);
              }),
              ExitedWithCode(0), "^3, 4\n$");
}

TEST(PoolHere, IsThatOfTheWorker) {
  EXPECT_EQ(heist::this_worker::pool(), nullptr);
  heist::pool outer({.workers = 2});
  heist::pool inner({.workers = 3});
  outer.run([&] {
    EXPECT_EQ(heist::this_worker::pool(), &outer);
    EXPECT_EQ(heist::this_worker::workers(), 2U);
    inner.run([&] {
      EXPECT_EQ(heist::this_worker::pool(), &inner);
      EXPECT_EQ(heist::this_worker::workers(), 3U);
    });
    EXPECT_EQ(heist::this_worker::pool(), &outer);
  });
  EXPECT_EQ(heist::this_worker::pool(), nullptr);
}

TEST(PoolHere, IsThereInTheHooksOfItsThreads) {
  std::atomic<const heist::pool*> seen{nullptr};
  {
    heist::pool pool({.workers = 2, .on_thread_start = [&](unsigned) {
                        seen.store(heist::this_worker::pool());
                      }});
    EXPECT_TRUE(eventually([&] { return seen.load() == &pool; }));
  }
}

TEST(PoolHere, IsNoneInAChildThatAWorkerMade) {
  heist::pool pool({.workers = 2});
  EXPECT_EQ(pool.run([&] {
    return in_forked_child([] {
      return heist::this_worker::pool() == nullptr && heist::this_worker::workers() == 0 ? 0 : 1;
    });
  }),
            0);
}

}  // namespace
}  // namespace heist_test
