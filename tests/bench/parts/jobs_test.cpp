// The article's job system, with which heist's is compared, runs every job once, whatever its
// memory and deque are.
#include <gtest/gtest.h>

#include <cstdint>

#include <heist/deque/abp.hpp>
#include <heist/deque/bounded_ring.hpp>
#include <heist/deque/locked.hpp>
#include <heist/job_system.hpp>
#include <heist/pool.hpp>

#include "bench/jobs/article.hpp"
#include "bench/jobs/measure.hpp"

namespace heist::bench {
namespace {

// seconds_awake throws unless each place is reached exactly once.
template <class System>
void expect_runs_all(System& system) {
  for (const std::size_t batch : {1U, 100U, 4000U}) {
    EXPECT_GT(single_jobs_s("single", system, 9001, batch), 0);
    EXPECT_GT(loop_s("loop", system, 9001, batch), 0);
  }
}

template <class Deque, class Memory>
void expect_article_runs_all() {
  for (const unsigned threads : {1U, 2U, 8U}) {
    article::job_threads<Deque, Memory> system(threads);
    for (int round = 0; round < 3; ++round) expect_runs_all(system);
  }
}

using item = article::job*;

TEST(ArticleJobs, RunOnceWhateverTheDequeAndTheMemory) {
  expect_article_runs_all<deque::locked<item>, article::from_malloc>();
  expect_article_runs_all<deque::locked<item>, article::from_ring>();
  expect_article_runs_all<deque::bounded_ring<item>, article::from_ring>();
  expect_article_runs_all<deque::abp<item>, article::from_ring>();
}

TEST(ArticleJobs, AreAskedForTheSameAsHeists) {
  pool on({.workers = 3});
  job_system system(on);
  expect_runs_all(system);
}

TEST(ArticleJobs, APlaceReachedTwiceIsFound) {
  marks places(3);
  EXPECT_THROW(places.check("none"), wrong_result);
  for (auto* p = places.begin(); p != places.begin() + 3; ++p) *p = 1;
  places.check("all");
  ++*places.begin();
  EXPECT_THROW(places.check("one twice"), wrong_result);
}

// There are more jobs than a ring holds, so the thread runs jobs until there is room.
TEST(ArticleJobs, MoreThanARingHoldsAreNotLost) {
  article::job_threads<deque::bounded_ring<item>, article::from_ring> system(1);
  marks places(20'000);
  system.on_worker([&] {
    run_single_jobs(system, places, places.size());
    return true;
  });
  places.check("many");
}

}  // namespace
}  // namespace heist::bench
