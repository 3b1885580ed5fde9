// The word where a waiter and an ender meet: the one that comes second finds what the first one
// left.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "heist/detail/rendezvous.hpp"
#include "heist/heist.hpp"
#include "runtime/fibers/waiting_party.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

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
