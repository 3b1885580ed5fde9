// Policies for one call: serial, stalling, and on a certain worker.
#include "heist/policy.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "heist/detail/waiting.hpp"
#include "heist/error.hpp"
#include "heist/parallel_for.hpp"
#include "heist/scope.hpp"
#include "tests/unit/tasks/support.hpp"

namespace heist_test {
namespace {

using heist::policy;

class Policies : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Policies, testing::ValuesIn(pools()), name_of);

// Records what a fork, a loop and a scope do, in order. It needs no lock, because it is for serial
// runs.
std::string order_of_everything() {
  std::string order;
  const auto say = [&order](char c) {
    return [&order, c] {
      order += c;
      linger(std::chrono::microseconds(2));
    };
  };
  heist::fork_join(
      say('a'), [&] { heist::fork_join(say('b'), say('c')); }, say('d'));
  heist::parallel_for(0, 5, [&](int i) { say(static_cast<char>('0' + i))(); });
  heist::scope([&](heist::task_scope& s) {
    s.spawn(say('e'));
    say('f')();
    s.spawn([&] { heist::fork_join(say('g'), say('h')); });
  });
  return order;
}

TEST_P(Policies, SerialIsTheOrderOfTheProgram) {
  for (int round = 0; round < scaled(50); ++round) {
    pool_.run([&] {
      // There are open forks above and beside this call.
      std::atomic<int> others{0};
      const auto other = [&others] { ++others; };
      fork_tree(3, [&] {
        const auto [order, ignored] = heist::fork_join(
            [] {
              const auto before = std::this_thread::get_id();
              std::string made = heist::with(policy::serial, order_of_everything);
              EXPECT_EQ(before, std::this_thread::get_id());
              return made;
            },
            other);
        EXPECT_EQ(order, "abcd01234efgh");
      });
      EXPECT_EQ(others.load(), 8);
    });
  }
}

TEST_P(Policies, SerialNestsAndEnds) {
  pool_.run([&] {
    const int answer = heist::with(policy::serial, [&] {
      const auto [a, b] = heist::fork_join(
          [] { return heist::with(policy::serial, [] { return 1; }); }, [] { return 2; });
      return a + b;
    });
    EXPECT_EQ(answer, 3);
    std::atomic<int> leaves{0};
    fork_tree(10, [&] { ++leaves; });  // an ordinary one again
    EXPECT_EQ(leaves.load(), 1024);
  });
}

// The function may wait inside, and then be on another worker.
TEST_P(Policies, SerialMayWait) {
  if (is_serial()) GTEST_SKIP() << "the second function would never be begun";
  pool_.run([&] {
    for (int round = 0; round < scaled(200); ++round) {
      heist::detail::wait_point point;
      int calls = 0;
      heist::fork_join(
          [&] {
            heist::with(policy::serial, [&] {
              heist::fork_join([&] { ++calls; }, [&] { ++calls; });
              point.wait();
              heist::fork_join([&] { ++calls; }, [&] { ++calls; });
            });
          },
          [&] { point.end(); });
      ASSERT_EQ(calls, 4);
    }
  });
}

TEST_P(Policies, SerialThrowsWhatTheFunctionThrows) {
  EXPECT_THROW(heist::with(policy::serial,
                           [] { heist::fork_join([] { throw std::runtime_error("x"); }, [] {}); }),
               std::runtime_error);
  EXPECT_EQ(heist::with(policy::serial, [] { return 5; }), 5);  // outside any pool
  int value = 0;
  static_assert(
      std::is_same_v<decltype(heist::with(policy::serial, [&]() -> int& { return value; })), int&>);
  EXPECT_EQ(&heist::with(policy::stalling, [&]() -> int& { return value; }), &value);
}

// A function whose forks are stolen repeatedly never sees another thread.
void keep_thread(int level) {
  const auto me = std::this_thread::get_id();
  heist::fork_join([&] { linger(std::chrono::microseconds(3)); },
                   [] { linger(std::chrono::microseconds(20)); });
  EXPECT_EQ(me, std::this_thread::get_id());
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 3; ++i) {
      s.spawn([] { linger(std::chrono::microseconds(5)); });
      EXPECT_EQ(me, std::this_thread::get_id());
    }
  });
  EXPECT_EQ(me, std::this_thread::get_id());
  heist::parallel_for(0, 8, [](int) { linger(std::chrono::microseconds(3)); });
  EXPECT_EQ(me, std::this_thread::get_id());
  if (level > 0) keep_thread(level - 1);
}

TEST_P(Policies, StallingKeepsTheThread) {
  for (int round = 0; round < scaled(30); ++round) {
    pool_.run([] { fork_tree(3, [] { heist::with(policy::stalling, [] { keep_thread(2); }); }); });
    heist::with(policy::stalling, [] {  // outside any pool
      const auto me = std::this_thread::get_id();
      fork_tree(3, [] {});
      EXPECT_EQ(me, std::this_thread::get_id());
    });
  }
}

TEST_P(Policies, RunsOnTheWorkerThatWasAskedFor) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  const unsigned n = pool_.workers();
  for (int round = 0; round < scaled(20); ++round) {
    for (unsigned i = 0; i < n; ++i)
      EXPECT_EQ(pool_.run_on(i, heist::this_worker::index), static_cast<int>(i));
    // Many calls are made from inside at the same time, with open forks.
    std::atomic<unsigned> right{0};
    std::atomic<unsigned> next{0};
    pool_.run([&] {
      fork_tree(5, [&] {
        heist::fork_join(
            [&] {
              const unsigned i = next++ % n;
              right += pool_.run_on(i, [&] { return pool_.worker_index() == static_cast<int>(i); });
            },
            [] { linger(std::chrono::microseconds(1)); });
      });
    });
    ASSERT_EQ(right.load(), 32U);
  }
}

TEST_P(Policies, StaysOnItsWorkerWhenItStalls) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  const unsigned last = pool_.workers() - 1;
  pool_.run_on(last, [&] {
    heist::with(policy::stalling, [&] {
      keep_thread(3);
      EXPECT_EQ(pool_.worker_index(), static_cast<int>(last));
    });
  });
}

TEST_P(Policies, RunOnRefusesWorkersThatAreNot) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  EXPECT_THROW(pool_.run_on(pool_.workers(), [] {}), heist::usage_error);
  EXPECT_THROW(pool_.run_on(0, [] { throw std::runtime_error("x"); }), std::runtime_error);
  heist::pool other({.workers = 1});
  EXPECT_EQ(other.run([&] { return pool_.run_on(0, [&] { return pool_.worker_index(); }); }), 0);
  EXPECT_EQ(other.worker_index(), -1);
}

}  // namespace
}  // namespace heist_test
