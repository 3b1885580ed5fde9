// Rows of jobs, which are one entry of the deque: each job runs once whatever its neighbours are,
// thieves take rows apart, and places of stolen rows are used again.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/error.hpp"
#include "heist/fork_join.hpp"
#include "heist/future.hpp"
#include "heist/job_system.hpp"
#include "heist/pool.hpp"
#include "heist/scope.hpp"
#include "heist/stats.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

using heist::job_system;
using job = job_system::job;

class JobRows : public on_pools {
 protected:
  job_system jobs_{pool_};
};
INSTANTIATE_TEST_SUITE_P(Pools, JobRows, testing::ValuesIn(pools()), name_of);

// A batch ends when the last of its jobs has ended, perhaps on another worker, while places of
// stolen entries still lie on the deque. If they stayed there, later batches would find it full.
TEST_P(JobRows, ManyBatchesDoNotFillTheDeque) {
  if (is_serial()) GTEST_SKIP() << "there is no deque";
  constexpr std::size_t batch = 300;
  const auto batches = static_cast<std::size_t>(scaled(200));
  std::vector<std::atomic<int>> ran(batch * batches);
  const std::uint64_t before = pool_.stats().total.roots;
  jobs_.on_worker([&] {
    for (std::size_t b = 0; b < batches; ++b) {
      const job parent = jobs_.create_job([] {});
      for (std::size_t i = 0; i < batch; ++i)
        jobs_.run(jobs_.create_job_as_child(parent, [at = &ran[b * batch + i]] { ++*at; }));
      jobs_.run(parent);
      jobs_.wait(parent);
    }
  });
  for (const auto& n : ran) ASSERT_EQ(n.load(), 1);
  // What found the deque full would have entered the pool from outside.
  if (GetParam().deque == heist::deque_kind::split) {
    EXPECT_LT(pool_.stats().total.roots - before, 1 + batch);
  }
}

// Jobs of two parents lie in the same rows, and the waiter of one hands the other's to the pool.
TEST_P(JobRows, MayHoldJobsOfSeveralParents) {
  constexpr int children = 200;
  std::atomic<int> ran{0};
  const int rounds = scaled(50);
  for (int round = 0; round < rounds; ++round) {
    jobs_.on_worker([&] {
      const job a = jobs_.create_job([] {});
      const job b = jobs_.create_job([] {});
      for (int i = 0; i < children; ++i)
        jobs_.run(jobs_.create_job_as_child(i % 3 == 0 ? a : b, [&ran] { ++ran; }));
      jobs_.run(a);
      jobs_.run(b);
      jobs_.wait(a);
      jobs_.wait(b);
    });
    ASSERT_EQ(ran.load(), (round + 1) * children);
  }
}

// Jobs that were created together run in another order than they lie in the ring.
TEST_P(JobRows, MayBeRunInAnyOrder) {
  constexpr int children = 150;
  std::vector<std::atomic<int>> ran(children);
  const int rounds = scaled(50);
  for (int round = 0; round < rounds; ++round) {
    jobs_.on_worker([&] {
      const job parent = jobs_.create_job([] {});
      std::vector<job> made;
      for (auto& n : ran) made.push_back(jobs_.create_job_as_child(parent, [&n] { ++n; }));
      for (std::size_t i = made.size(); i-- > 0;)
        if (i % 2 == 1) jobs_.run(made[i]);
      for (std::size_t i = 0; i < made.size(); i += 2) jobs_.run(made[i]);
      jobs_.run(parent);
      jobs_.wait(parent);
    });
  }
  for (const auto& n : ran) ASSERT_EQ(n.load(), rounds);
}

// One waits for a neighbour, runs further jobs, or throws.
TEST_P(JobRows, NeighboursWaitSpawnAndThrow) {
  if (is_serial()) GTEST_SKIP() << "a call can't wait for what comes later";
  constexpr int children = 90;
  std::atomic<int> ran{0};
  const int rounds = scaled(30);
  for (int round = 0; round < rounds; ++round) {
    ran = 0;
    const job root = jobs_.create_job([&](job self) {
      job before{};
      for (int i = 0; i < children; ++i) {
        before = jobs_.create_job_as_child(self, [&, i, before](job me) {
          ++ran;
          if (i % 5 == 1) jobs_.wait(before);
          if (i % 5 == 2)
            for (int k = 0; k < 3; ++k) jobs_.run(jobs_.create_job_as_child(me, [&ran] { ++ran; }));
          if (i % 5 == 3 && i > 80) throw std::runtime_error("x");
        });
        jobs_.run(before);
      }
    });
    jobs_.run(root);
    EXPECT_THROW(jobs_.wait(root), std::runtime_error);
    ASSERT_EQ(ran.load(), children + children / 5 * 3);
  }
}

// As many jobs as there are workers, each of which lasts until all have begun: a row that another
// worker took, and requests that nobody answers, keep none of them back.
TEST_P(JobRows, LargeJobsAreSpreadOverAllWorkers) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  const auto workers = static_cast<int>(pool_.workers());
  for (int round = 0; round < scaled(10); ++round) {
    std::atomic<int> begun{0};
    jobs_.on_worker([&] {
      const job parent = jobs_.create_job([] {});
      for (int i = 0; i < workers; ++i)
        jobs_.run(jobs_.create_job_as_child(parent, [&begun, workers] {
          ++begun;
          EXPECT_TRUE(eventually([&] { return begun.load() == workers; }));
        }));
      jobs_.run(parent);
      jobs_.wait(parent);
    });
    ASSERT_EQ(begun.load(), workers);
  }
}

// While thieves take a row its owner makes it longer and shorter.
TEST_P(JobRows, AreTakenWhileTheyGrowAndShrink) {
  std::atomic<int> ran{0};
  int made = 0;
  const int rounds = scaled(400);
  jobs_.on_worker([&] {
    for (int round = 0; round < rounds; ++round) {
      const job parent = jobs_.create_job([] {});
      for (int i = 0; i < 5 + round % 40; ++i, ++made)
        jobs_.run(jobs_.create_job_as_child(parent, [&ran, i] {
          ran.fetch_add(1, std::memory_order_relaxed);
          if (i % 7 == 0) std::this_thread::yield();
        }));
      jobs_.run(parent);
      jobs_.wait(parent);
    }
  });
  EXPECT_EQ(ran.load(), made);
}

// A function of the pool's own runs jobs inside and outside of what it has open.
TEST_P(JobRows, OfAFunctionThatThePoolRuns) {
  if (is_serial()) GTEST_SKIP() << "there is no deque";
  constexpr int children = 40;
  std::atomic<int> ran{0};
  const auto add = [&ran] { ++ran; };
  const int rounds = scaled(30);
  for (int round = 0; round < rounds; ++round) {
    pool_.run([&] {
      const auto run_some = [&] {
        job last{};
        for (int i = 0; i < children; ++i) jobs_.run(last = jobs_.create_job(add));
        return last;
      };
      heist::scope([&](heist::task_scope& s) {
        s.spawn(add);
        run_some();
        s.spawn(run_some);
        s.sync();
        run_some();
        s.spawn(add);
      });
      heist::fork_join(run_some, [&] { pool_.run(run_some); });
      heist::scope([&](heist::task_scope& s) { s.spawn(add); });
      jobs_.wait(run_some());
      run_some();  // nobody waits for these
    });
    pool_.submit([&] { jobs_.run(jobs_.create_job(add)); }).get();
  }
  const int expected = rounds * (7 * children + 4);
  EXPECT_TRUE(eventually([&] { return ran.load() == expected; })) << ran.load();
}

// With one worker nothing is stolen, so the counters say what lay on the deque.
class JobEntries : public testing::TestWithParam<heist::deque_kind> {};

TEST_P(JobEntries, AreSharedByNeighboursAndNotSentThroughTheQueue) {
  heist::pool one({.workers = 1, .deque = GetParam(), .stats = heist::stats_kind::full});
  if (one.workers() != 1 || is_serial()) GTEST_SKIP();
  job_system jobs(one);
  constexpr int children = 320;
  int ran = 0;
  const auto before = one.stats().total;
  one.run([&] {
    const job parent = jobs.create_job([] {});
    for (int i = 0; i < children; ++i)
      jobs.run(jobs.create_job_as_child(parent, [&ran] { ++ran; }));
    jobs.run(parent);
    jobs.wait(parent);
  });
  const auto after = one.stats().total;
  EXPECT_EQ(ran, children);
  EXPECT_EQ(after.roots - before.roots, 1U);
  const auto puts = after.puts - before.puts;
  if (GetParam() == heist::deque_kind::shared_queue)
    EXPECT_EQ(puts, children + 1U);
  else
    EXPECT_LE(puts, children / 10U);
}
INSTANTIATE_TEST_SUITE_P(Deques, JobEntries, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

// ----
// Jobs on the heap: as many as there is memory for, each freed once. AddressSanitizer finds the
// ones that aren't, or that are used afterwards; tests/unit/api has them without memory.

using job = job_system::job;

class HeapJobs : public on_pools {
 protected:
  void run_and_wait(job j) {
    jobs_.run(j);
    jobs_.wait(j);
  }

  job_system jobs_{pool_, heist::job_memory::heap};
};
INSTANTIATE_TEST_SUITE_P(Pools, HeapJobs, testing::ValuesIn(pools()), name_of);

TEST_P(HeapJobs, AreMoreThanARingHolds) {
  constexpr int count = 3 * job_system::first_jobs_per_thread;
  std::atomic<int> ran{0};
  std::vector<job> made;
  for (int i = 0; i < count; ++i) made.push_back(jobs_.create_job([&ran] { ++ran; }));
  for (const job j : made) EXPECT_FALSE(jobs_.is_finished(j));
  for (const job j : made) jobs_.run(j);
  for (const job j : made) jobs_.wait(j);
  EXPECT_EQ(ran.load(), count);
}

TEST_P(HeapJobs, AParentEndsAfterItsChildren) {
  std::atomic<int> ran{0};
  const auto run_tree = [&] {
    const job root = jobs_.create_job([&](job self) {
      for (int i = 0; i < 10; ++i)
        jobs_.run(jobs_.create_job_as_child(self, [&](job below) {
          for (int k = 0; k < 10; ++k) jobs_.run(jobs_.create_job_as_child(below, [&] { ++ran; }));
        }));
    });
    for (int i = 0; i < 10; ++i) jobs_.run(jobs_.create_job_as_child(root, [&] { ++ran; }));
    run_and_wait(root);
  };
  const int rounds = scaled(50);
  for (int round = 1; round <= rounds; ++round) {
    run_tree();
    jobs_.on_worker(run_tree);
    ASSERT_EQ(ran.load(), round * 2 * 110);
  }
}

// The waiter frees the job while the one that ended it may still be awake in it.
TEST_P(HeapJobs, AreFreedByTheirWaiterNoMatterWhoEndsThem) {
  std::atomic<int> ran{0};
  const int rounds = scaled(500);
  for (int round = 0; round < rounds; ++round) {
    const job j = jobs_.create_job([&] {
      if (round % 2 == 0) linger(std::chrono::microseconds(5));
      ++ran;
    });
    run_and_wait(j);
    pool_.run([&] { fork_tree(2, [&] { run_and_wait(jobs_.create_job([&ran] { ++ran; })); }); });
  }
  EXPECT_EQ(ran.load(), 5 * rounds);
}

TEST_P(HeapJobs, AnExceptionArrivesAtTheRootsWaiter) {
  for (int round = 0; round < scaled(50); ++round) {
    const job root = jobs_.create_job([this](job self) {
      for (int i = 0; i < 4; ++i)
        jobs_.run(jobs_.create_job_as_child(self, [i] {
          if (i % 2 == 0) throw std::runtime_error("bad");
        }));
    });
    jobs_.run(root);
    EXPECT_THROW(jobs_.wait(root), std::runtime_error);
  }
}

TEST_P(HeapJobs, SplitLoops) {
  std::vector<std::atomic<int>> seen(5000);
  jobs_.parallel_for(0, seen.size(), 3, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++seen[i];
  });
  for (auto& n : seen) ASSERT_EQ(n.load(), 1);
  EXPECT_THROW(jobs_.parallel_for(0, 100, 1,
                                  [](std::size_t first, std::size_t) {
                                    if (first == 50) throw std::runtime_error("x");
                                  }),
               std::runtime_error);
}

TEST_P(HeapJobs, Misuse) {
  EXPECT_THROW(jobs_.run({}), heist::usage_error);
  EXPECT_THROW(jobs_.wait({}), heist::usage_error);
  EXPECT_THROW(jobs_.create_job_as_child({}, [] {}), heist::usage_error);
  const job itself = jobs_.create_job([this](job self) {
    EXPECT_THROW(jobs_.run(self), heist::usage_error);
    jobs_.wait(self);
  });
  jobs_.run(itself);
  EXPECT_THROW(jobs_.wait(itself), heist::usage_error);
}

// The choice of memory is the only difference: the ring's names stay.
TEST(JobMemory, OfARingIsTheDefault) {
  heist::pool pool({.workers = 2});
  job_system jobs(pool, heist::job_memory::ring);
  const job j = jobs.create_job([] {});
  jobs.run(j);
  jobs.wait(j);
  EXPECT_TRUE(jobs.is_finished(j));
  jobs.wait(j);
  EXPECT_THROW(jobs.run(j), heist::usage_error);
}

}  // namespace
}  // namespace heist_test
