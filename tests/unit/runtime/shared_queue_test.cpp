// The shared queue by itself, and in which order workers take jobs from it.
#include "runtime/core/shared_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "heist/detail/rendezvous.hpp"
#include "heist/heist.hpp"
#include "runtime/core/worker.hpp"
#include "runtime/fibers/waiting_party.hpp"
#include "runtime/waits/rendezvous.hpp"
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

// ----
// The word where a waiter and an ender meet: the one that comes second finds what the first one
// left.

using heist::detail::rendezvous;
using heist::detail::waiting_party;

constexpr rendezvous::word somebody = 64;

TEST(Rendezvous, TheEnderFindsWhoWaits) {
  rendezvous word;
  EXPECT_EQ(word.look(), rendezvous::pending);
  EXPECT_TRUE(word.wait(somebody));
  EXPECT_EQ(word.settle(rendezvous::threw), somebody);
  EXPECT_EQ(word.look(), rendezvous::threw);
}

TEST(Rendezvous, TheWaiterFindsThatItHasEnded) {
  rendezvous word;
  EXPECT_EQ(word.settle(rendezvous::done), rendezvous::pending);
  EXPECT_FALSE(word.wait(somebody));
  EXPECT_FALSE(word.attach(somebody));
  EXPECT_EQ(word.look(), rendezvous::done);
  word.reset();
  EXPECT_EQ(word.look(), rendezvous::pending);
}

TEST(Rendezvous, OnlyAnAttachedWaiterCanBeTakenBack) {
  rendezvous word;
  EXPECT_FALSE(word.detach(somebody));
  EXPECT_TRUE(word.attach(somebody));
  EXPECT_FALSE(word.detach(2 * somebody));
  EXPECT_TRUE(word.detach(somebody));
  EXPECT_EQ(word.settle(rendezvous::done), rendezvous::pending);
  EXPECT_FALSE(word.detach(somebody));
}

TEST(Rendezvous, TheSecondMarkFindsTheFirst) {
  rendezvous word;
  EXPECT_EQ(word.leave_mark(3), rendezvous::pending);
  EXPECT_EQ(word.leave_mark(5), 3U);
}

TEST(Rendezvous, AThreadIsToldFromAFiber) {
  EXPECT_FALSE(waiting_party(rendezvous::word{somebody}).is_thread());
  EXPECT_TRUE(waiting_party(rendezvous::word{somebody | 4}).is_thread());
  EXPECT_EQ(waiting_party(rendezvous::word{somebody | 4}).word(), somebody | 4);
}

// Exactly one of the two has to continue the waiter, and it sees what the other one wrote.
TEST(Rendezvous, OfTwoThreadsOneComesSecond) {
  for (int round = 0; round < scaled(20'000); ++round) {
    rendezvous word;
    int result = 0;
    int waiter_state = 0;
    int seen_by_ender = -1;
    std::thread ender([&] {
      result = 7;
      if (word.settle(rendezvous::done) == somebody) seen_by_ender = waiter_state;
    });
    waiter_state = 3;
    const bool waits = word.wait(somebody);
    if (!waits) {
      ASSERT_EQ(result, 7);
    }
    ender.join();
    ASSERT_EQ(seen_by_ender, waits ? 3 : -1);
  }
}

// ---- The slot of a thread: no two functions that a pool runs at the same time have the same,
// threads from outside included.

// Counts who is in a slot at the same time.
class slot_users {
 public:
  explicit slot_users(unsigned slots) : used_(slots) {}

  void visit(const heist::pool& pool, std::chrono::microseconds time) {
    const int slot = pool.worker_index();
    if (slot < 0 || static_cast<std::size_t>(slot) >= used_.size()) {
      ++outside_;
      return;
    }
    auto& users = used_[static_cast<std::size_t>(slot)];
    if (users.fetch_add(1) != 0) ++shared_;
    linger(time);
    if (pool.worker_index() != slot || heist::this_worker::index() != slot) ++moved_;
    users.fetch_sub(1);
    ++visits_;
  }

  [[nodiscard]] long outside() const { return outside_; }
  [[nodiscard]] long shared() const { return shared_; }
  [[nodiscard]] long moved() const { return moved_; }
  [[nodiscard]] long visits() const { return visits_; }

 private:
  std::vector<std::atomic<int>> used_;
  std::atomic<long> outside_{0}, shared_{0}, moved_{0}, visits_{0};
};

class Slots : public testing::TestWithParam<heist::caller_kind> {};
INSTANTIATE_TEST_SUITE_P(Callers, Slots, testing::ValuesIn(heist::all_caller_kinds),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

TEST_P(Slots, AreOnesOwnWhileCodeRuns) {
  const watchdog guard("loops of several threads");
  heist::pool pool({.workers = 3, .callers = GetParam()});
  slot_users users(pool.workers());
  std::vector<std::thread> threads;
  constexpr int iterations = 40;
  const int rounds = scaled(60);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round) {
        heist::parallel_for(pool, 0, iterations,
                            [&](int) { users.visit(pool, std::chrono::microseconds(5)); });
        // Another pool's functions have other slots, and a caller that is none has no slot.
        EXPECT_EQ(pool.worker_index(), -1);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(users.outside(), 0);
  EXPECT_EQ(users.shared(), 0);
  EXPECT_EQ(users.moved(), 0);
  EXPECT_EQ(users.visits(), 4L * rounds * iterations);
}

}  // namespace
}  // namespace heist_test
