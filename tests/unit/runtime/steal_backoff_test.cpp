// When a worker holds back, and that nothing is lost while it naps.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "runtime/core/steal_backoff.hpp"
#include "runtime/core/worker.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::detail::steal_backoff;
using heist::detail::ticks_per_chunk;
using std::chrono::milliseconds;

const std::uint64_t crumb = ticks_per_chunk() / 100;
const std::uint64_t worthwhile = ticks_per_chunk();

void disappoint(steal_backoff& b, int times = steal_backoff::patience) {
  for (int i = 0; i < times; ++i) b.note_job(crumb, false);
}

TEST(StealBackoff, FewCrumbsAreNoReason) {
  steal_backoff b;
  for (int i = 1; i < steal_backoff::patience; ++i) b.note_job(crumb, false);
  EXPECT_FALSE(b.holds_back());
  b.note_job(crumb, false);
  EXPECT_TRUE(b.holds_back());
}

TEST(StealBackoff, CrumbsAmongWorkAreNoReason) {
  steal_backoff b;
  for (int i = 0; i < 100; ++i) {
    b.note_job(i % 2 == 0 ? worthwhile : crumb, false);
    EXPECT_FALSE(b.holds_back());
  }
}

TEST(StealBackoff, LongJobsEndIt) {
  steal_backoff b;
  disappoint(b);
  b.note_job(worthwhile, false);
  b.note_job(worthwhile, false);
  EXPECT_TRUE(b.holds_back()) << "two of eight";
  b.note_job(worthwhile, false);
  EXPECT_FALSE(b.holds_back());
  disappoint(b, 8);
  b.note_job(16 * worthwhile, false);
  EXPECT_FALSE(b.holds_back()) << "as good as three";
}

TEST(StealBackoff, AJobThatHasWaitedSaysNothingUnlessItIsLong) {
  steal_backoff b;
  disappoint(b);
  for (int i = 0; i < 100; ++i) b.note_job(worthwhile, true);
  EXPECT_TRUE(b.holds_back());
  b.note_job(16 * worthwhile, true);
  EXPECT_FALSE(b.holds_back());
  for (int i = 0; i < 100; ++i) b.note_job(crumb, true);
  EXPECT_FALSE(b.holds_back());
}

// The rest of a scope that is stolen on doesn't return to the one that stole it first.
TEST(StealBackoff, WhatWasLeftToOthersCountsWhenTheWorkerComesBack) {
  steal_backoff b;
  disappoint(b);
  b.come_back(7);  // from nothing
  EXPECT_TRUE(b.holds_back());
  b.begin_job(heist::detail::ticks() - 100 * worthwhile, 7);
  b.come_back(8);  // a join has waited
  EXPECT_TRUE(b.holds_back());
  b.come_back(7);
  EXPECT_FALSE(b.holds_back());
  b.begin_job(heist::detail::ticks() - 100 * worthwhile, 7);
  disappoint(b);  // the first of these is that job, which has returned
  b.come_back(7);
  EXPECT_TRUE(b.holds_back());
}

TEST(StealBackoff, UselessWakesAndRequestsCount) {
  steal_backoff woken;
  for (int i = 0; i < steal_backoff::patience; ++i) woken.note_useless_wake();
  EXPECT_TRUE(woken.holds_back());
  steal_backoff asking;
  const unsigned many = steal_backoff::patience * steal_backoff::requests_per_disappointment;
  for (unsigned i = 1; i < many; ++i) asking.note_useless_request();
  EXPECT_FALSE(asking.holds_back());
  asking.note_useless_request();
  EXPECT_TRUE(asking.holds_back());
}

TEST(StealBackoff, NapsAreBounded) {
  steal_backoff b;
  disappoint(b);
  for (unsigned i = 0; i < steal_backoff::max_naps; ++i) EXPECT_TRUE(b.may_nap());
  EXPECT_FALSE(b.may_nap()) << "then it sleeps";
  b.forget_naps();
  EXPECT_TRUE(b.may_nap());
  EXPECT_GE(steal_backoff::nap(2), std::chrono::microseconds(100));
  EXPECT_LE(steal_backoff::nap(1000), milliseconds(2));
}

class Naps : public testing::Test {
 protected:
  void SetUp() override {
    if (is_serial()) GTEST_SKIP() << "a serial run has no workers";
  }

  // Small regions until some worker has taken so many naps more.
  static bool run_crumbs(heist::pool& pool, std::uint64_t naps) {
    const std::uint64_t before = pool.stats().total.naps;
    return pool.run([&] {
      return eventually([&] {
        for (int i = 0; i < 2000; ++i) fib(7);
        return pool.stats().total.naps >= before + naps;
      });
    });
  }
};

TEST_F(Naps, AreTakenWhereThereAreOnlyCrumbs) {
  for (const unsigned workers : {2U, 3U, 8U}) {
    heist::pool pool({.workers = workers});
    EXPECT_TRUE(run_crumbs(pool, 1)) << workers;
  }
}

TEST_F(Naps, EndWhenThereIsNothingToDo) {
  heist::pool pool({.workers = 4});
  ASSERT_TRUE(run_crumbs(pool, 8));
  std::uint64_t before = 0;
  EXPECT_TRUE(eventually([&] {
    before = pool.stats().total.naps;
    std::this_thread::sleep_for(milliseconds(50));
    return pool.stats().total.naps == before;
  }));
}

// Each waits for the other, so the second is run only by another worker.
TEST_F(Naps, LeaveNoWorkBehind) {
  const watchdog guard("work beside naps");
  heist::pool pool({.workers = 3});
  for (int round = 0; round < scaled(20); ++round) {
    ASSERT_TRUE(run_crumbs(pool, 1));
    pool.run([] {
      std::atomic<int> arrived{0};
      const auto meet = [&arrived] {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
      };
      heist::fork_join(meet, meet);
    });
  }
}

// Roots, fibers that go to one worker, and the end of the pool reach workers that nap.
TEST_F(Naps, AreInterrupted) {
  const watchdog guard("what comes during naps");
  for (int round = 0; round < scaled(20); ++round) {
    heist::pool pool({.workers = 3});
    ASSERT_TRUE(run_crumbs(pool, 2));
    for (unsigned i = 0; i < 3; ++i)
      EXPECT_EQ(pool.run_on(i, [&] { return pool.worker_index(); }), static_cast<int>(i));
    ASSERT_TRUE(run_crumbs(pool, 2));
    EXPECT_EQ(pool.submit([] { return fib(10); }).get(), 55);
    std::thread other([&] { EXPECT_EQ(pool.run([] { return fib(10); }), 55); });
    EXPECT_EQ(pool.run([] { return fib(10); }), 55);
    other.join();
  }
}

// Callers take the seats of workers that nap, and give them back.
TEST_F(Naps, MakeRoomForCallers) {
  const watchdog guard("callers beside naps");
  heist::pool pool({.workers = 4});
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      while (!stop) EXPECT_EQ(pool.run([] { return fib(8); }), 21);
    });
  std::this_thread::sleep_for(milliseconds(scaled(300)));
  stop = true;
  for (std::thread& t : callers) t.join();
}

// ---- Tests how soon a search finds the existing work.

class Search : public testing::TestWithParam<heist::deque_kind> {};

// A victim that is never chosen at random is tried nevertheless. Every worker's generator is at 0,
// where it remains: each attempt goes to worker 0, or, if worker 0 makes it, to worker 1.
TEST_P(Search, TriesEveryVictimWhateverIsDrawn) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  heist::pool pool({.workers = 4,
                    .deque = GetParam(),
                    .victim = heist::victim_kind::random,
                    .idle = heist::idle_kind::spin,
                    .on_thread_start = [](unsigned) { heist::detail::self_worker().random = 0; }});
  int found = 0;
  const auto one_on_a_far_worker = [&found] {
    if (heist::detail::self_worker().index < 2) return;
    signal_flag begun;
    bool in_time = false;
    heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
      s.spawn([&begun] { begun.raise(); });
      in_time = eventually([&begun] { return begun.is_up(); });
    });
    EXPECT_TRUE(in_time) << heist::describe_pools();
    ++found;
  };
  // The test cannot choose which worker runs a submitted function.
  EXPECT_TRUE(eventually([&] {
    pool.run(one_on_a_far_worker);
    return found == 3 || HasFailure();
  }));
}

INSTANTIATE_TEST_SUITE_P(Deques, Search, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

}  // namespace
}  // namespace heist_test
