// Jobs: each runs once and ends after its children, and its memory is not reused before.
#include "heist/job_system.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/combinable.hpp"
#include "heist/error.hpp"
#include "heist/scope.hpp"
#include "tasks/job_record.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

using heist::job_system;
using job = job_system::job;

class Jobs : public on_pools {
 protected:
  job_system jobs_{pool_};
};
INSTANTIATE_TEST_SUITE_P(Pools, Jobs, testing::ValuesIn(pools()), name_of);

TEST_P(Jobs, OneFromOutside) {
  int value = 0;
  const job j = jobs_.create_job([&value] { value = 3; });
  EXPECT_FALSE(jobs_.is_finished(j));
  jobs_.run(j);
  jobs_.wait(j);
  EXPECT_EQ(value, 3);
  EXPECT_TRUE(jobs_.is_finished(j));
  jobs_.wait(j);  // it has ended
}

// Makes single jobs below a root, so many that the ring wraps around several times.
TEST_P(Jobs, EachOfManyChildrenRunsOnce) {
  constexpr int children = 3000;
  std::vector<std::atomic<int>> ran(children);
  const auto run_all = [&] {
    const job root = jobs_.create_job([] {});
    for (int i = 0; i < children; ++i)
      jobs_.run(jobs_.create_job_as_child(root, [&ran, i] { ++ran[static_cast<std::size_t>(i)]; }));
    jobs_.run(root);
    jobs_.wait(root);
  };
  const int rounds = scaled(10);
  for (int round = 0; round < rounds; ++round) {
    run_all();
    jobs_.on_worker(run_all);
    pool_.run(run_all);
  }
  for (const auto& n : ran) ASSERT_EQ(n.load(), 3 * rounds);
}

// Makes a tree of jobs; a parent's function makes its children, and some children of other jobs.
struct grow {
  job_system& jobs;
  std::atomic<long>& ran;
  unsigned seed;
  int depth;

  void operator()(job self) const {
    ++ran;
    std::minstd_rand random(seed);
    const int children = random_children(random, depth);
    for (int i = 0; i < children; ++i) {
      const job child = jobs.create_job_as_child(
          self, grow{jobs, ran, static_cast<unsigned>(random()), depth - 1});
      jobs.run(child);
      if (random() % 4 == 0) jobs.wait(child);
    }
  }
};

TEST_P(Jobs, AParentEndsAfterItsChildren) {
  const unsigned first = std::random_device()() | 1;  // a minstd_rand knows no seed 0
  SCOPED_TRACE("first seed " + std::to_string(first));
  for (unsigned seed = first; seed != first + 2 * static_cast<unsigned>(scaled(30)); seed += 2) {
    std::atomic<long> ran{0};
    const job root = jobs_.create_job(grow{jobs_, ran, seed, 6});
    jobs_.run(root);
    jobs_.wait(root);
    ASSERT_EQ(ran.load(), random_tree_size(seed, 6, 1));
  }
}

TEST_P(Jobs, ParallelForBySplitting) {
  std::vector<std::atomic<int>> seen(10'000);
  for (const std::size_t most :
       {std::size_t{0}, std::size_t{7}, std::size_t{100}, std::size_t{20'000}}) {
    if (most == 0 && (tsan || emulated)) continue;
    jobs_.parallel_for(0, seen.size(), most, [&](std::size_t first, std::size_t last) {
      EXPECT_LE(last - first, most == 0 ? 1 : most);
      for (std::size_t i = first; i < last; ++i) ++seen[i];
    });
    for (auto& n : seen) ASSERT_EQ(n.exchange(0), 1);
  }
  jobs_.parallel_for(5, 5, 1, [](std::size_t, std::size_t) { FAIL(); });
  EXPECT_THROW(jobs_.parallel_for(0, 100, 1,
                                  [](std::size_t first, std::size_t) {
                                    if (first == 50) throw std::runtime_error("x");
                                  }),
               std::runtime_error);
}

// Other jobs may wait and be unable to continue; none of them may run on top of a job that waits.
TEST_P(Jobs, AWaitRunsNothingUnrelated) {
  if (is_serial()) GTEST_SKIP() << "a call can't wait for what comes later";
  for (int round = 0; round < scaled(100); ++round) {
    jobs_.on_worker([&] {
      const job later = jobs_.create_job([] {});
      const job waits = jobs_.create_job([this, later] { jobs_.wait(later); });
      const job quick = jobs_.create_job([] {});
      jobs_.run(quick);
      jobs_.run(waits);
      jobs_.wait(quick);  // `waits` is on top of it
      jobs_.run(later);
      jobs_.wait(waits);
      // This function returns before the jobs that it ran have ended.
      const job again = jobs_.create_job([] {});
      job left{};
      const job leaves = jobs_.create_job([&] {
        left = jobs_.create_job([this, again] { jobs_.wait(again); });
        jobs_.run(left);
      });
      jobs_.run(leaves);
      jobs_.wait(leaves);
      jobs_.run(again);
      jobs_.wait(left);
    });
  }
}

TEST_P(Jobs, SeveralMayWaitForOne) {
  for (int round = 0; round < scaled(50); ++round) {
    std::atomic<int> value{0};
    std::atomic<int> through{0};
    const job j = jobs_.create_job([&value] {
      linger(std::chrono::microseconds(20));
      value = 1;
    });
    std::thread outside([&] {
      jobs_.run(j);
      jobs_.wait(j);
      through += value;
    });
    if (is_serial()) outside.join();
    pool_.run([&] {
      fork_tree(3, [&] {
        jobs_.wait(j);
        through += value;
      });
    });
    if (!is_serial()) outside.join();
    ASSERT_EQ(through.load(), 9);
  }
}

TEST_P(Jobs, NestInForksAndScopes) {
  for (int round = 0; round < scaled(50); ++round) {
    std::atomic<int> ran{0};
    const auto one = [&ran] { ++ran; };
    const job root = jobs_.create_job([&](job self) {
      const auto child = [&] {
        const job c = jobs_.create_job_as_child(self, one);
        jobs_.run(c);
        return c;
      };
      child();
      heist::fork_join([&] { child(); }, [&] { jobs_.wait(child()); });
      child();
      heist::scope([&](heist::task_scope& s) {
        for (int i = 0; i < 5; ++i) s.spawn([&] { child(); });
        jobs_.wait(child());
      });
      jobs_.wait(child());
      fork_tree(3, [&] { jobs_.wait(child()); });
    });
    jobs_.run(root);
    jobs_.wait(root);
    ASSERT_EQ(ran.load(), 19);
  }
}

TEST_P(Jobs, AnExceptionArrivesAtTheRootsWaiter) {
  for (int round = 0; round < scaled(50); ++round) {
    const job root = jobs_.create_job([this](job self) {
      const job bad = jobs_.create_job_as_child(self, [] { throw std::runtime_error("bad"); });
      jobs_.run(bad);
      jobs_.wait(bad);  // it belongs to the root
      jobs_.run(jobs_.create_job_as_child(self, [] {}));
    });
    jobs_.run(root);
    EXPECT_THROW(jobs_.wait(root), std::runtime_error);
    jobs_.wait(root);  // once
  }
}

TEST_P(Jobs, AFullRingIsRefusedAndNothingIsOverwritten) {
  job_system few(pool_, 8);
  std::atomic<int> ran{0};
  std::vector<job> made;
  for (int i = 0; i < 8; ++i) made.push_back(few.create_job([&ran] { ++ran; }));
  EXPECT_THROW(few.create_job([] {}), heist::job_overflow);
  EXPECT_THROW(few.create_job_as_child(made[0], [] {}), heist::resource_error);
  std::thread outside([&] {
    few.wait([&] {
      const job j = few.create_job([] {});  // a thread has a ring of its own
      few.run(j);
      return j;
    }());
  });
  outside.join();
  few.run(made[3]);
  few.wait(made[3]);
  const job next = few.create_job([&ran] { ran += 10; });  // in its place
  few.wait(made[3]);                                       // still names the ended job
  EXPECT_TRUE(few.is_finished(made[3]));
  EXPECT_FALSE(few.is_finished(next));
  EXPECT_THROW(few.run(made[3]), heist::usage_error);
  EXPECT_THROW(few.create_job_as_child(made[3], [] {}), heist::usage_error);
  for (int i = 0; i < 8; ++i)
    if (i != 3) few.run(made[static_cast<std::size_t>(i)]);
  few.run(next);
  for (const job j : made) few.wait(j);
  few.wait(next);
  EXPECT_EQ(ran.load(), 18);
  // The loop is split, with fewer jobs than parts.
  std::atomic<std::size_t> sum{0};
  few.parallel_for(0, 1000, 1, [&](std::size_t i, std::size_t) { sum += i; });
  EXPECT_EQ(sum.load(), 499'500U);
}

TEST_P(Jobs, ARingWithoutASizeOfItsOwnGrows) {
  constexpr std::size_t count = 5 * job_system::first_jobs_per_thread / 2;
  std::atomic<std::size_t> ran{0};
  const auto run_all = [&] {
    std::vector<job> made;
    const job root = jobs_.create_job([] {});
    for (std::size_t i = 0; i < count; ++i)
      made.push_back(i % 2 == 0 ? jobs_.create_job([&ran] { ++ran; })
                                : jobs_.create_job_as_child(root, [&ran] { ++ran; }));
    for (const job j : made) EXPECT_FALSE(jobs_.is_finished(j));
    std::shuffle(made.begin(), made.end(), std::minstd_rand(1));
    for (const job j : made) jobs_.run(j);
    jobs_.run(root);
    jobs_.wait(root);
    for (const job j : made) jobs_.wait(j);
  };
  run_all();
  jobs_.on_worker(run_all);
  run_all();
  EXPECT_EQ(ran.load(), 3 * count);
}

TEST(JobRing, GrowsWhereMoreThanHalfIsInUse) {
  heist::detail::job_ring ring(16, true);
  const auto places = [&] {
    std::size_t n = 0;
    ring.each([&n](heist::detail::job_record&) { ++n; });
    return n;
  };
  const auto take = [&] {
    auto* const r = ring.take();
    r->ends_specially = false;
    return r;
  };
  const auto end = [](heist::detail::job_record* r) {
    EXPECT_TRUE(r->take_off(1));
    r->end(r->number());
  };
  std::vector<heist::detail::job_record*> live;
  for (int i = 0; i < 8; ++i) live.push_back(take());
  for (int i = 0; i < 1000; ++i) end(take());
  EXPECT_EQ(places(), 16U);  // half of it is in use
  live.push_back(take());
  for (int i = 0; i < 1000; ++i) end(take());
  EXPECT_EQ(places(), 32U);
  while (live.size() < 100) live.push_back(take());
  EXPECT_EQ(std::set(live.begin(), live.end()).size(), 100U);
  EXPECT_LE(places(), 4 * live.size());
  for (auto* const r : live) end(r);
  const std::size_t most = places();
  for (int i = 0; i < 1000; ++i) end(take());
  EXPECT_EQ(places(), most);
}

TEST_P(Jobs, Misuse) {
  const job none{};
  EXPECT_THROW(jobs_.run(none), heist::usage_error);
  EXPECT_THROW(jobs_.wait(none), heist::usage_error);
  EXPECT_THROW(jobs_.create_job_as_child(none, [] {}), heist::usage_error);
  EXPECT_THROW(job_system(pool_, 0), heist::usage_error);
  const job twice = jobs_.create_job([] {});
  jobs_.run(twice);
  EXPECT_THROW(jobs_.run(twice), heist::usage_error);
  jobs_.wait(twice);
  const job itself = jobs_.create_job([this](job self) { jobs_.wait(self); });
  jobs_.run(itself);
  EXPECT_THROW(jobs_.wait(itself), heist::usage_error);
}

TEST_P(Jobs, TheDestructorWaitsForWhatWasRun) {
  for (int round = 0; round < scaled(50); ++round) {
    std::atomic<int> ran{0};
    {
      job_system mine(pool_);
      const job root = mine.create_job([&](job self) {
        for (int i = 0; i < 10; ++i)
          mine.run(mine.create_job_as_child(self, [&ran] {
            linger(std::chrono::microseconds(2));
            ++ran;
          }));
      });
      mine.run(root);
      mine.create_job([&ran] { ran += 1000; });  // never run
      const job fails = mine.create_job([] { throw 1; });
      mine.run(fails);  // nobody waits for it
    }
    ASSERT_EQ(ran.load(), 10);
  }
}

// The ring of the worker is looked at first, which takes milliseconds. Meanwhile a job of this
// thread's ring makes another one there, and ends before its own ring is looked at.
TEST(JobSystem, WaitsAtItsEndForWhatIsMadeMeanwhile) {
  using std::chrono::milliseconds;
  heist::pool pool({.workers = 1});
  std::atomic<bool> has_ended{false};
  {
    job_system mine(pool, std::size_t{1} << 18U);
    mine.on_worker([&] { mine.create_job([] {}); });
    std::atomic<bool> has_begun{false};
    const job maker = mine.create_job([&] {
      has_begun = true;
      std::this_thread::sleep_for(milliseconds(1));
      mine.run(mine.create_job([&has_ended] {
        std::this_thread::sleep_for(milliseconds(100));
        has_ended = true;
      }));
    });
    mine.run(maker);
    while (!has_begun) std::this_thread::yield();
  }
  EXPECT_TRUE(has_ended);
}

// If a function in a pool runs a job and does not wait for it, the pool takes care of the job.
TEST_P(Jobs, OfAFunctionThatDoesNotWait) {
  std::atomic<int> ran{0};
  std::vector<job> made(100);
  jobs_.on_worker([&] {
    for (job& j : made) {
      j = jobs_.create_job([&ran] { ++ran; });
      jobs_.run(j);
    }
  });
  for (const job j : made) jobs_.wait(j);
  EXPECT_EQ(ran.load(), 100);
}

}  // namespace
}  // namespace heist_test
