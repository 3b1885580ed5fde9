// HEIST_CHECK=1: cycles of waits are reported with names and places, and one of the waits is
// refused. ctest runs this program with the variable set.
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>

#include "tests/unit/sync/checked_waits.hpp"

namespace heist_test {
namespace {

using testing::HasSubstr;

using Deadlocks = checked_waits;

TEST_P(Deadlocks, OfTwoLocksInOppositeOrders) {
  heard err;
  const int line = __LINE__ + 1;
  heist::mutex a;
  heist::mutex b;
  heist::set_name(a, "accounts");
  heist::set_name(b, "books");
  heist::latch both(2);
  std::atomic<int> went_on{0};
  const auto lock = [&](heist::mutex& first, heist::mutex& second) {
    const std::lock_guard hold(first);
    both.arrive_and_wait();
    const std::lock_guard other(second);
    went_on.fetch_add(1);
  };
  const std::string what = deadlock_in(
      [&] { pool_.run([&] { heist::fork_join([&] { lock(a, b); }, [&] { lock(b, a); }); }); });
  EXPECT_THAT(what, HasSubstr("deadlock: fiber "));
  EXPECT_EQ(went_on.load(), 1);  // the other one
  EXPECT_THAT(err.text(), HasSubstr("heist: deadlock, a cycle of 2 waits:\n"));
  for (const auto& [name, at] : {std::pair("accounts", line), std::pair("books", line + 1)}) {
    EXPECT_THAT(err.text(), HasSubstr("(pool \"knot\") waits for mutex \"" + std::string(name)));
    EXPECT_THAT(err.text(), HasSubstr(place_of(at)));
    EXPECT_THAT(what, HasSubstr(name));
  }
}

TEST_P(Deadlocks, OfALockThatTheCallerHolds) {
  heard err;
  const std::string what = deadlock_in([&] {
    pool_.run([] {
      heist::mutex m;
      const std::lock_guard hold(m);
      m.lock();
    });
  });
  EXPECT_THAT(what, HasSubstr("waits for mutex"));
  EXPECT_THAT(err.text(), HasSubstr("heist: deadlock, a wait for itself:\n"));
}

TEST_P(Deadlocks, OfALockThatIsHeldAcrossAForkWhichTakesIt) {
  if (GetParam() == 1) GTEST_SKIP() << "nobody steals";
  heard err;
  heist::mutex m;
  std::atomic<bool> is_stolen{false};
  const std::string what = deadlock_in([&] {
    pool_.run([&] {
      const std::lock_guard hold(m);
      heist::fork_join(
          [&] {
            while (!is_stolen) heist::fork_join([] {}, [] {});
          },
          [&] {
            is_stolen = true;
            const std::lock_guard inner(m);
          });
    });
  });
  EXPECT_THAT(what, HasSubstr("waits for mutex"));
  EXPECT_THAT(err.text(), HasSubstr("waits in a join, for what is run by fiber"));
}

TEST_P(Deadlocks, OfALockThatIsHeldAcrossAScopeWhoseChildTakesIt) {
  heard err;
  heist::mutex m;
  heist::latch spawned(1);
  const std::string what = deadlock_in([&] {
    pool_.run([&] {
      const std::lock_guard hold(m);
      heist::scope([&](heist::task_scope& s) {
        s.spawn([&] {
          spawned.wait();
          const std::lock_guard inner(m);
        });
        spawned.count_down();
      });
    });
  });
  EXPECT_THAT(what, HasSubstr("waits for mutex"));
  EXPECT_THAT(err.text(), HasSubstr("waits at the end of a scope, for a child that is fiber"));
}

TEST_P(Deadlocks, OfTwoFuturesThatNeedEachOther) {
  heard err;
  heist::future<int> first;
  heist::future<int> second;
  heist::latch made(1);
  heist::latch ended(2);
  std::atomic<int> refused{0};
  const auto get = [&](heist::future<int>& f) {
    made.wait();
    int got = 0;
    if (deadlock_in([&] { got = f.get(); }) != "none") ++refused;
    ended.count_down();
    return got;
  };
  const int line = __LINE__ + 1;
  first = pool_.submit([&] { return get(second); });
  heist::set_name(first, "egg");
  second = pool_.submit([&] { return get(first); });
  made.count_down();
  ended.wait();
  EXPECT_EQ(refused.load(), 1);
  EXPECT_THAT(err.text(), HasSubstr("heist::deadlock is thrown"));
  EXPECT_THAT(err.text(), HasSubstr("waits for future \"egg\""));
  EXPECT_THAT(err.text(), HasSubstr(place_of(line)));
  EXPECT_THAT(err.text(), HasSubstr("which is made by fiber"));
}

TEST_P(Deadlocks, OfAFutureWhoseMakerWantsTheLockOfTheConsumer) {
  heard err;
  heist::mutex m;
  std::string what = deadlock_in([&] {
    pool_.run([&] {
      const std::lock_guard hold(m);
      heist::future<void> f = pool_.submit([&] { const std::lock_guard inner(m); });
      f.get();
    });
  });
  EXPECT_THAT(what, HasSubstr("waits for future"));
  EXPECT_THAT(err.text(), HasSubstr("a cycle of 2 waits"));
}

TEST_P(Deadlocks, OfAReaderBehindAWriterWhoWaitsForThatReader) {
  heard err;
  heist::shared_mutex m;
  heist::set_name(m, "index");
  const std::string what = deadlock_in([&] {
    pool_.run([&] {
      m.lock_shared();
      heist::future<void> writer = pool_.submit([&] { const std::unique_lock hold(m); });
      while (m.try_lock_shared()) {  // until the writer is in line
        m.unlock_shared();
        heist::fork_join([] {}, [] {});
        if (pool_.workers() == 1) pool_.submit([] {}).get();
      }
      try {
        m.lock_shared();
      } catch (...) {
        m.unlock_shared();
        writer.get();
        throw;
      }
    });
  });
  EXPECT_THAT(what, HasSubstr("waits to read under shared_mutex \"index\""));
}

TEST_P(Deadlocks, OfAWriterThatReads) {
  heard err;
  const std::string what = deadlock_in([&] {
    pool_.run([] {
      heist::shared_mutex m;
      const std::shared_lock reading(m);
      const std::unique_lock writing(m);
    });
  });
  EXPECT_THAT(what, HasSubstr("waits to write under shared_mutex"));
  EXPECT_THAT(err.text(), HasSubstr("a wait for itself"));
}

TEST_P(Deadlocks, OfThreadsOutsideAnyPool) {
  heard err;
  heist::mutex a;
  heist::mutex b;
  heist::latch both(2);
  std::atomic<int> refused{0};
  const auto lock = [&](heist::mutex& first, heist::mutex& second) {
    const std::lock_guard hold(first);
    both.arrive_and_wait();
    if (deadlock_in([&] { const std::lock_guard other(second); }) != "none") ++refused;
  };
  std::thread other([&] { lock(a, b); });
  lock(b, a);
  other.join();
  EXPECT_EQ(refused.load(), 1);
  EXPECT_THAT(err.text(), HasSubstr("  thread "));
}

TEST_P(Deadlocks, AcrossTwoPools) {
  heard err;
  heist::pool other({.workers = 1, .name = "other"});
  heist::mutex m;
  const std::string what = deadlock_in([&] {
    pool_.run([&] {
      const std::lock_guard hold(m);
      other.run([&] { const std::lock_guard inner(m); });
    });
  });
  EXPECT_THAT(what, HasSubstr("pool \"other\") waits for mutex"));
  EXPECT_THAT(err.text(), HasSubstr("waits for a function in a pool, for what is run by fiber"));
}

TEST_P(Deadlocks, OfACallThatBlocksOnItsCallersLock) {
  heard err;
  heist::mutex m;
  const std::string what = deadlock_in([&] {
    pool_.run([&] {
      const std::lock_guard hold(m);
      heist::blocking([&] { const std::lock_guard inner(m); });
    });
  });
  EXPECT_THAT(what, HasSubstr("waits for mutex"));
  EXPECT_THAT(err.text(), HasSubstr("waits for a call that may block, for what is run by thread"));
}

TEST_P(Deadlocks, LeaveTheLocksToTheOthers) {
  heard err;
  for (int i = 0; i < 20; ++i) {
    heist::mutex a;
    heist::mutex b;
    heist::latch both(2);
    const auto lock = [&](heist::mutex& first, heist::mutex& second) {
      const std::lock_guard hold(first);
      both.arrive_and_wait();
      const std::lock_guard other(second);
    };
    EXPECT_NE(deadlock_in([&] {
                pool_.run([&] { heist::fork_join([&] { lock(a, b); }, [&] { lock(b, a); }); });
              }),
              "none");
    EXPECT_TRUE(a.try_lock() && b.try_lock());
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Deadlocks, testing::Values(1U, 2U, 8U));

}  // namespace
}  // namespace heist_test
