// Jobs on the heap: as many as there is memory for, each freed once. AddressSanitizer finds the
// ones that aren't, or that are used afterwards; tests/unit/api has them without memory.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "heist/error.hpp"
#include "heist/job_system.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

using heist::job_system;
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
