// The default pool: what it will be before it is made, and the pool where the caller is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <string>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"

namespace heist_test {
namespace {

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
