// The workloads whose answer is one published number, and the programs of nothing but jobs.
#include "check_workload.hpp"

#include <heist/error.hpp>

#include "workloads/fib/fib.hpp"
#include "workloads/nqueens/nqueens.hpp"

using namespace heist::workloads;

TEST(Fib, GivesTheKnownNumbers) {
  EXPECT_EQ(fib_serial(0), 0);
  EXPECT_EQ(fib_serial(1), 1);
  EXPECT_EQ(fib_serial(25), 75025);
  EXPECT_EQ(fib(0), 0);
  EXPECT_EQ(fib(1), 1);
  EXPECT_EQ(fib(25), 75025);
}

TEST(Fib, CountsItsForks) {
  const auto instance = make_instance("fib", {{"n", "5"}});
  EXPECT_EQ(instance->work().items, 7);  // calls with 5, 4, 3, 3 and three times 2
}

TEST(NQueens, GivesTheKnownCounts) {
  const std::uint64_t known[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724};
  for (unsigned n = 1; n <= 10; ++n) {
    const auto board = chessboard::empty(n);
    EXPECT_EQ(count_boards_serially(board), known[n - 1]) << n << " queens";
    for (const unsigned cutoff : {0u, 3u, 20u})
      EXPECT_EQ(count_boards(board, board.free(), cutoff, forked{}), known[n - 1])
          << n << " queens, cutoff " << cutoff;
  }
}

TEST(Registry, FindsEveryWorkloadByItsName) {
  EXPECT_EQ(all().size(), 29u);
  for (const auto* workload : all()) {
    EXPECT_EQ(find(workload->name()), workload);
    EXPECT_FALSE(workload->summary().empty());
  }
  EXPECT_EQ(find("fibb"), nullptr);
}

TEST(EmptyJobs, RunExactlyOnceOnEveryPool) {
  for (const auto* jobs : {"0", "1", "500"})
    for (const auto* rounds : {"0", "1", "3"})
      expect_same_result_everywhere(
          *make_instance("empty_jobs", {{"jobs", jobs}, {"rounds", rounds}}));
}

// A job system's ring has room for some thousands of jobs; the others are called at once.
TEST(EmptyJobs, RunExactlyOnceIfThereAreMoreThanTheRingHolds) {
  expect_same_result_everywhere(*make_instance("empty_jobs", {{"jobs", "10000"}, {"rounds", "1"}}));
}

TEST(EmptyJobs, AreMissedIfTheyDidNotRun) {
  const auto instance = make_instance("empty_jobs", {{"jobs", "10"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(JobLoop, UpdatesExactlyOnceOnEveryPool) {
  for (const auto* elements : {"0", "1", "1000"})
    for (const auto* part : {"1", "64", "5000"})
      expect_same_result_everywhere(
          *make_instance("job_loop", {{"elements", elements}, {"part", part}, {"rounds", "2"}}),
          true);
}

TEST(JobLoop, NoticesAnUpdateThatIsMissing) {
  const auto instance = make_instance("job_loop", {{"elements", "10"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(Jobs, RefuseBadOptions) {
  EXPECT_THROW(make_instance("empty_jobs", {{"jobs", "-1"}}), heist::usage_error);
  EXPECT_THROW(make_instance("job_loop", {{"part", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("job_loop", {{"elements", "1099511627776"}}), heist::resource_error);
}
