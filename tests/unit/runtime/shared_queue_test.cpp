// The shared queue by itself, and in which order workers take jobs from it.
#include "runtime/core/shared_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "heist/heist.hpp"
#include "runtime/core/worker.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::queue_order;
using heist::detail::job;
using heist::detail::shared_queue;
using testing::ElementsAre;

// Jobs that hold their number, to see that the queue returns payloads as they were.
class jobs {
 public:
  jobs() {
    for (std::uint64_t i = 0; i < all_.size(); ++i) std::memcpy(all_[i].payload, &i, sizeof(i));
  }
  job& operator[](std::size_t i) { return all_[i]; }

  [[nodiscard]] static int number(const job* j) {
    if (j == nullptr) return -1;
    std::uint64_t i = 0;
    std::memcpy(&i, j->payload, sizeof(i));
    return static_cast<int>(i);
  }

 private:
  std::array<job, 8> all_{};
};

std::vector<int> take_all(shared_queue& q) {
  std::vector<int> order;
  while (const job* const j = q.take().item) order.push_back(jobs::number(j));
  return order;
}

TEST(SharedQueue, TakesTheOldestTheNewestOrTheMostUrgent) {
  const std::array priorities = {1, 5, 1, -3, 5};
  const auto order_of = [&](queue_order order) {
    jobs all;
    shared_queue q(order);
    for (std::size_t i = 0; i < priorities.size(); ++i) EXPECT_TRUE(q.push(all[i], priorities[i]));
    EXPECT_EQ(q.size_hint(), priorities.size());
    return take_all(q);
  };
  EXPECT_THAT(order_of(queue_order::fifo), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(order_of(queue_order::lifo), ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(order_of(queue_order::priority), ElementsAre(1, 4, 0, 2, 3));
}

TEST(SharedQueue, AClaimTakesAJobFromAnywhereAndOnce) {
  jobs all;
  shared_queue q(queue_order::fifo);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_TRUE(q.push(all[i], 0));
  EXPECT_TRUE(q.claim(all[2]));
  EXPECT_EQ(jobs::number(&all[2]), 2);
  EXPECT_FALSE(q.claim(all[2]));
  EXPECT_EQ(q.take().item, &all[0]);
  EXPECT_FALSE(q.claim(all[0]));
  EXPECT_FALSE(q.claim(all[7]));  // never pushed
  EXPECT_THAT(take_all(q), ElementsAre(1, 3));
  EXPECT_EQ(q.size_hint(), 0U);
}

TEST(SharedQueue, ATakenJobTellsItsPriorityAndMayEnterAgain) {
  jobs all;
  shared_queue q(queue_order::priority);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(q.push(all[0], 7));
    const auto taken = q.take();
    EXPECT_EQ(taken.item, &all[0]);
    EXPECT_EQ(taken.priority, 7);
    EXPECT_EQ(all[0].state.look(), job::pending);
  }
}

TEST(SharedQueue, WhoIsAloneTakesItsJobWithoutTheLock) {
  jobs all;
  shared_queue q(queue_order::fifo);
  ASSERT_TRUE(q.push(all[3], 0));
  EXPECT_TRUE(shared_queue::claim_alone(all[3]));
  EXPECT_EQ(jobs::number(&all[3]), 3);
  EXPECT_FALSE(shared_queue::claim_alone(all[3]));
}

// One worker spawns children while the other one is busy, and doesn't join before the other one has
// taken them all: in the order in which the queue hands them out.
std::vector<int> order_of_starts(queue_order order, const std::vector<int>& priorities) {
  heist::pool pool({.workers = 2, .deque = heist::deque_kind::shared_queue, .order = order});
  const watchdog guard("a shared queue");
  std::vector<int> started;
  pool.run([&] {
    std::atomic<bool> is_busy{false};
    std::atomic<bool> may_end{false};
    std::atomic<std::size_t> count{0};
    heist::scope([&](heist::task_scope& s) {
      s.spawn([&] {
        is_busy = true;
        while (!may_end) std::this_thread::yield();
      });
      while (!is_busy) std::this_thread::yield();
      for (std::size_t i = 0; i < priorities.size(); ++i)
        heist::with_priority(priorities[i], [&, i] {
          s.spawn([&, i] {
            started.push_back(static_cast<int>(i));
            ++count;
          });
        });
      may_end = true;
      while (count != priorities.size()) std::this_thread::yield();
    });
  });
  EXPECT_EQ(pool.stats().total.steals, priorities.size() + 1);
  return started;
}

TEST(SharedQueue, GivesAPoolItsOrderOfStarts) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  const std::vector<int> priorities = {2, 9, 2, 5};
  EXPECT_THAT(order_of_starts(queue_order::fifo, priorities), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order_of_starts(queue_order::lifo, priorities), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(order_of_starts(queue_order::priority, priorities), ElementsAre(1, 3, 0, 2));
}

// Nobody else takes what a suspended fiber has left in the queue.
TEST(SharedQueue, TheOnlyWorkerTakesFromItToo) {
  if (is_serial()) GTEST_SKIP() << "a wait would be for ever";
  heist::pool pool({.workers = 1, .deque = heist::deque_kind::shared_queue});
  const watchdog guard("one worker and its queue");
  pool.run([] {
    heist::latch both(2);
    heist::scope([&](heist::task_scope& s) {
      s.spawn([&both] { both.count_down(); });
      s.spawn([&both] { both.count_down(); });
      both.wait();  // not in the end of the scope, which would claim the children
    });
  });
}

// What a job forks is as urgent as the job, on whichever worker it runs.
TEST(SharedQueue, PrioritiesAreInherited) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  heist::pool pool(
      {.workers = 2, .deque = heist::deque_kind::shared_queue, .order = queue_order::priority});
  const auto priority = [] { return heist::detail::self_worker().current.get()->priority; };
  std::atomic<int> inside{-1};
  pool.run([&] {
    heist::with_priority(4, [&] {
      EXPECT_EQ(priority(), 4);
      heist::scope([&](heist::task_scope& s) {
        s.spawn([&] { inside = priority(); });
        while (inside == -1) std::this_thread::yield();
      });
      EXPECT_THROW(heist::with_priority(6, [] { throw 1; }), int);
      EXPECT_EQ(priority(), 4);
    });
    EXPECT_EQ(priority(), 0);
  });
  EXPECT_EQ(inside, 4);
  EXPECT_EQ(heist::with_priority(3, [] { return 8; }), 8);  // outside any pool it is a call
}

// A worker's fiber runs one job after the other; none takes its priority from the one before.
TEST(SharedQueue, WhatEntersAPoolIsNotAsUrgentAsWhatRanBefore) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  heist::pool pool(
      {.workers = 2, .deque = heist::deque_kind::shared_queue, .order = queue_order::priority});
  const watchdog guard("a root after an urgent job");
  pool.run([&pool] {
    std::atomic<int> found{-1};
    const auto tell = [&found] { found = heist::detail::self_worker().current.get()->priority; };
    heist::scope([&](heist::task_scope& s) {
      heist::with_priority(7, [&] { s.spawn(tell); });
      while (found == -1) std::this_thread::yield();
    });
    EXPECT_EQ(found, 7);
    found = -1;
    auto root = pool.submit(tell);  // the same worker is the only one that is free
    while (found == -1) std::this_thread::yield();
    EXPECT_EQ(found, 0);
    root.get();
  });
}

}  // namespace
}  // namespace heist_test
