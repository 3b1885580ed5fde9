// Tests the programs of nothing but jobs.
#include <heist/error.hpp>

#include "check_workload.hpp"

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
