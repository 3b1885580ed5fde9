// A join throws the exception of a serial run, after everything that was started has ended.
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

struct thrown_by {
  int who;
};

template <class Body>
int who_threw(Body&& body) {
  try {
    body();
  } catch (const thrown_by& e) {
    return e.who;
  }
  return 0;
}

TEST(Exceptions, OfTheFirstFunctionKeepsAPrivateSecondFromRunning) {
  heist::pool pool({.workers = 1});
  int ran = 0;
  EXPECT_EQ(
      who_threw([&] {
        pool.run([&] { heist::fork_join([]() -> int { throw thrown_by{1}; }, [&] { ++ran; }); });
      }),
      1);
  EXPECT_EQ(ran, 0);
}

TEST(Exceptions, OfAPrivateSecondFunctionDestroysTheFirstResult) {
  heist::pool pool({.workers = 1});
  EXPECT_EQ(who_threw([&] {
              pool.run([&] {
                heist::fork_join([] { return counted(); }, []() -> counted { throw thrown_by{2}; });
              });
            }),
            2);
  EXPECT_EQ(counted::alive.load(std::memory_order_relaxed), 0);
}

TEST(Exceptions, OfAStolenSecondFunctionReachTheJoin) {
  heist::pool pool({.workers = 2});
  EXPECT_EQ(who_threw([&] {
              pool.run([&] {
                signal_flag begun;
                heist::fork_join(
                    [&] {
                      EXPECT_TRUE(begun.wait());
                      return counted();
                    },
                    [&]() -> counted {
                      begun.raise();
                      throw thrown_by{2};
                    });
              });
            }),
            2);
  EXPECT_EQ(counted::alive.load(std::memory_order_relaxed), 0);
}

class ThrowBoth : public testing::TestWithParam<heist::join_kind> {};

TEST_P(ThrowBoth, TheLeftmostWinsAndTheStolenOneHasEnded) {
  heist::pool pool({.workers = 2, .join = GetParam()});
  for (int round = 0; round < scaled(200); ++round) {
    std::atomic<bool> ended{false};
    EXPECT_EQ(who_threw([&] {
                pool.run([&] {
                  signal_flag begun;
                  signal_flag thrown;
                  heist::fork_join(
                      [&] {
                        EXPECT_TRUE(begun.wait());
                        thrown.raise();
                        throw thrown_by{1};
                      },
                      [&]() -> counted {
                        begun.raise();
                        EXPECT_TRUE(thrown.wait());
                        linger(std::chrono::microseconds(round % 100));
                        ended.store(true, std::memory_order_relaxed);
                        throw thrown_by{2};
                      });
                });
              }),
              1);
    ASSERT_TRUE(ended.load(std::memory_order_relaxed));
  }
}

TEST_P(ThrowBoth, ADroppedResultOfAStolenFunctionIsDestroyed) {
  heist::pool pool({.workers = 2, .join = GetParam()});
  for (int round = 0; round < scaled(200); ++round) {
    EXPECT_EQ(who_threw([&] {
                pool.run([&] {
                  signal_flag begun;
                  heist::fork_join(
                      [&] {
                        EXPECT_TRUE(begun.wait());
                        throw thrown_by{1};
                      },
                      [&] {
                        begun.raise();
                        linger(std::chrono::microseconds(round % 100));
                        return std::make_pair(counted(), std::vector<int>(1000));
                      });
                });
              }),
              1);
    ASSERT_EQ(counted::alive.load(std::memory_order_relaxed), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Joins, ThrowBoth,
                         testing::Values(heist::join_kind::greedy, heist::join_kind::stalling),
                         [](const auto& p) {
                           return p.param == heist::join_kind::greedy ? "Greedy" : "Stalling";
                         });

TEST(Exceptions, AmongEightTheLeftmostWins) {
  for (const unsigned workers : {1U, 3U}) {
    heist::pool pool({.workers = workers});
    for (int first = 0; first < 8; ++first) {
      const auto f = [first](int i) {
        return [first, i] {
          if (i >= first) throw thrown_by{i + 1};
        };
      };
      EXPECT_EQ(
          who_threw([&] {
            pool.run([&] { heist::fork_join(f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)); });
          }),
          first + 1);
    }
  }
}

TEST(Exceptions, CrossThePoolToAThreadOutside) {
  heist::pool pool({.workers = 2});
  EXPECT_EQ(who_threw([&] { pool.run([] { throw thrown_by{5}; }); }), 5);
  EXPECT_EQ(who_threw([] { heist::fork_join([] { throw thrown_by{6}; }, [] {}); }), 6);
  EXPECT_EQ(pool.run([] { return 7; }), 7);
}

// ---- exceptions at every point of a recursion ----

class faulty_tree {
 public:
  explicit faulty_tree(int fault) : fault_(fault), runs_(1U << depth) {}

  // Leaves are numbered from left to right; the one whose number is fault_ throws, and with it
  // every `also`-th after it.
  counted walk(int level, int number) {
    const counted local;
    if (level == depth) {
      runs_[static_cast<std::size_t>(number)].fetch_add(1, std::memory_order_relaxed);
      if (number == fault_ || (number > fault_ && number % 5 == 0)) throw thrown_by{number};
      linger(std::chrono::microseconds(number % 7));
      return local;
    }
    auto [left, right] = heist::fork_join([&] { return walk(level + 1, 2 * number); },
                                          [&] { return walk(level + 1, 2 * number + 1); });
    return left;
  }

  void check(int outcome) const {
    EXPECT_EQ(outcome, fault_);
    for (int i = 0; i < 1 << depth; ++i) {
      const unsigned runs = runs_[static_cast<std::size_t>(i)].load(std::memory_order_relaxed);
      EXPECT_LE(runs, 1U) << "leaf " << i;
      if (i <= fault_) {
        EXPECT_EQ(runs, 1U) << "leaf " << i;
      }
    }
  }

  static constexpr int depth = 6;

 private:
  int fault_;
  std::vector<std::atomic<unsigned>> runs_;
};

class FaultyTree : public testing::TestWithParam<std::tuple<unsigned, heist::join_kind>> {};

TEST_P(FaultyTree, AtEveryLeafTheRightExceptionComesAndNothingLeaks) {
  const auto [workers, join] = GetParam();
  const watchdog guard("faults with " + std::to_string(workers) + " workers");
  heist::pool pool({.workers = workers, .join = join});
  const int rounds = tsan || emulated ? 1 : 4;
  for (int round = 0; round < rounds; ++round)
    for (int fault = 0; fault < 1 << faulty_tree::depth; ++fault) {
      faulty_tree tree(fault);
      int outcome = -1;
      try {
        pool.run([&] { tree.walk(0, 0); });
      } catch (const thrown_by& e) {
        outcome = e.who;
      }
      tree.check(outcome);
      ASSERT_EQ(counted::alive.load(std::memory_order_relaxed), 0) << "fault at " << fault;
      if (HasFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Workers, FaultyTree,
                         testing::Combine(testing::Values(1U, 2U, 3U, 8U),
                                          testing::Values(heist::join_kind::greedy,
                                                          heist::join_kind::stalling)),
                         [](const auto& p) {
                           return std::to_string(std::get<0>(p.param)) +
                                  (std::get<1>(p.param) == heist::join_kind::greedy ? "Greedy"
                                                                                    : "Stalling");
                         });

}  // namespace
}  // namespace heist_test
