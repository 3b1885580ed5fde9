// fork_join returns every kind of result, from calls and from thieves.
//
// Each test runs twice: on one worker, where everything is a call, and with a second one that is
// made to steal the second function.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

enum class how { called, stolen };

class ForkJoinResults : public testing::TestWithParam<how> {
 protected:
  // Calls fork_join with f and g; on request, f waits until a thief has begun g.
  template <class F, class G>
  auto both(F f, G g) {
    return pool_.run([&] {
      signal_flag begun;
      return heist::fork_join(
          [&]() -> decltype(auto) {
            EXPECT_TRUE(GetParam() == how::called || begun.wait());
            return f();
          },
          [&]() -> decltype(auto) {
            begun.raise();
            return g();
          });
    });
  }

  ~ForkJoinResults() override {
    EXPECT_EQ(pool_.stats().total.steals != 0, GetParam() == how::stolen);
  }

  heist::pool pool_{{.workers = GetParam() == how::stolen ? 2U : 1U}};
};

TEST_P(ForkJoinResults, ValuesComeInOrder) {
  const auto [a, b] = both([] { return 1; }, [] { return std::string("two"); });
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, "two");
}

TEST_P(ForkJoinResults, AVoidOneIsMonostate) {
  auto result = both([] {}, [] { return 2; });
  static_assert(std::is_same_v<decltype(result), std::tuple<std::monostate, int>>);
  EXPECT_EQ(std::get<1>(result), 2);
  auto other = both([] { return 3; }, [] {});
  static_assert(std::is_same_v<decltype(other), std::tuple<int, std::monostate>>);
  EXPECT_EQ(std::get<0>(other), 3);
}

TEST_P(ForkJoinResults, AllVoidIsNothing) {
  int x = 0;
  int y = 0;
  static_assert(std::is_void_v<decltype(both([] {}, [] {}))>);
  both([&] { x = 1; }, [&] { y = 2; });
  EXPECT_EQ(x + y, 3);
}

TEST_P(ForkJoinResults, ReferencesStayReferences) {
  int x = 1;
  const std::string y = "y";
  auto result = both([&]() -> int& { return x; }, [&]() -> const std::string& { return y; });
  static_assert(std::is_same_v<decltype(result), std::tuple<int&, const std::string&>>);
  EXPECT_EQ(&std::get<0>(result), &x);
  EXPECT_EQ(&std::get<1>(result), &y);
}

TEST_P(ForkJoinResults, RvalueReferencesStayThat) {
  auto x = std::make_unique<int>(1);
  auto y = std::make_unique<int>(2);
  auto result = both([&]() -> std::unique_ptr<int>&& { return std::move(x); },
                     [&]() -> std::unique_ptr<int>&& { return std::move(y); });
  static_assert(
      std::is_same_v<decltype(result), std::tuple<std::unique_ptr<int>&&, std::unique_ptr<int>&&>>);
  const std::unique_ptr<int> taken = std::get<1>(std::move(result));
  EXPECT_EQ(*taken, 2);
  EXPECT_EQ(y, nullptr);
  EXPECT_NE(x, nullptr);
}

TEST_P(ForkJoinResults, MoveOnlyOnesAreMoved) {
  auto [a, b] =
      both([] { return std::make_unique<int>(1); }, [] { return std::make_unique<int>(2); });
  EXPECT_EQ(*a + *b, 3);
}

struct no_default {
  explicit no_default(int n) : value(n) {}
  int value;
};

TEST_P(ForkJoinResults, NoDefaultConstructorIsNeeded) {
  const auto [a, b] = both([] { return no_default(1); }, [] { return no_default(2); });
  EXPECT_EQ(a.value + b.value, 3);
}

TEST_P(ForkJoinResults, ConstResultsAreCopied) {
  const auto [a, b] = both([]() -> const std::string { return "a"; },
                           []() -> const std::string { return std::string(100, 'b'); });
  EXPECT_EQ(a, "a");
  EXPECT_EQ(b, std::string(100, 'b'));
}

struct large {
  std::array<std::uint64_t, 1000> words;
  counted alive;
};

large make_large(std::uint64_t first) {
  large l{};
  for (std::size_t i = 0; i < l.words.size(); ++i) l.words[i] = first + i;
  return l;
}

TEST_P(ForkJoinResults, LargerOnesThanASlotArrive) {
  {
    const auto [a, b] = both([] { return make_large(1); }, [] { return make_large(1000); });
    for (std::size_t i = 0; i < a.words.size(); ++i) {
      ASSERT_EQ(a.words[i], 1 + i);
      ASSERT_EQ(b.words[i], 1000 + i);
    }
  }
  EXPECT_EQ(counted::alive.load(std::memory_order_relaxed), 0);
}

struct alignas(256) over_aligned {
  int value;
};
struct alignas(16) barely_over_aligned {
  int value;
};

template <class T>
bool is_aligned(const T& object) {
  return reinterpret_cast<std::uintptr_t>(&object) % alignof(T) == 0;
}

TEST_P(ForkJoinResults, OverAlignedOnesAreAligned) {
  const auto [a, b] = both([] { return over_aligned{1}; }, [] { return over_aligned{2}; });
  EXPECT_TRUE(is_aligned(a));
  EXPECT_TRUE(is_aligned(b));
  EXPECT_EQ(a.value + b.value, 3);
  const auto [c, d] =
      both([] { return barely_over_aligned{3}; }, [] { return barely_over_aligned{4}; });
  EXPECT_TRUE(is_aligned(c));
  EXPECT_TRUE(is_aligned(d));
  EXPECT_EQ(c.value + d.value, 7);
}

// A result whose n-th move throws.
struct throws_when_moved {
  static inline std::atomic<int> moves_left{0};
  counted alive;
  std::array<char, 64> big{};
  throws_when_moved() = default;
  throws_when_moved(throws_when_moved&& other) : alive(other.alive), big(other.big) {
    if (moves_left.fetch_sub(1, std::memory_order_relaxed) == 0) throw std::runtime_error("moved");
  }
};

TEST_P(ForkJoinResults, AThrowingMoveLeaksNothing) {
  int thrown = 0;
  for (int n = 0; n < 12; ++n) {
    throws_when_moved::moves_left.store(n, std::memory_order_relaxed);
    try {
      const auto result =
          both([] { return throws_when_moved(); }, [] { return throws_when_moved(); });
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "moved");
      ++thrown;
    }
    EXPECT_EQ(counted::alive.load(std::memory_order_relaxed), 0) << "move " << n;
  }
  EXPECT_GE(thrown, 2);
}

INSTANTIATE_TEST_SUITE_P(Both, ForkJoinResults, testing::Values(how::called, how::stolen),
                         [](const auto& p) {
                           return p.param == how::called ? "Called" : "Stolen";
                         });

// On a thread outside, the results come through the default pool.
TEST(ForkJoinOutside, AThrowingMoveLeaksNothing) {
  for (int n = 0; n < 12; ++n) {
    throws_when_moved::moves_left.store(n, std::memory_order_relaxed);
    try {
      const auto result =
          heist::fork_join([] { return throws_when_moved(); }, [] { return throws_when_moved(); });
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "moved");
    }
    EXPECT_EQ(counted::alive.load(std::memory_order_relaxed), 0) << "move " << n;
  }
}

TEST(ForkJoinOutside, EveryKindOfResultArrives) {
  int x = 1;
  auto [a, b, c, d] =
      heist::fork_join([&]() -> int& { return x; }, [] {}, [] { return std::make_unique<int>(3); },
                       [] { return over_aligned{4}; });
  static_assert(std::is_same_v<decltype(b), std::monostate>);
  EXPECT_EQ(&a, &x);
  EXPECT_EQ(*c, 3);
  EXPECT_EQ(d.value, 4);
  EXPECT_TRUE(is_aligned(d));
}

TEST(ForkJoinMany, TwoToEightFunctions) {
  const auto one = [](int n) { return [n] { return n; }; };
  heist::pool pool({.workers = 2});
  pool.run([&] {
    EXPECT_EQ(heist::fork_join(one(1), one(2)), std::tuple(1, 2));
    EXPECT_EQ(heist::fork_join(one(1), one(2), one(3)), std::tuple(1, 2, 3));
    EXPECT_EQ(heist::fork_join(one(1), one(2), one(3), one(4)), std::tuple(1, 2, 3, 4));
    EXPECT_EQ(heist::fork_join(one(1), one(2), one(3), one(4), one(5)), std::tuple(1, 2, 3, 4, 5));
    EXPECT_EQ(heist::fork_join(one(1), one(2), one(3), one(4), one(5), one(6)),
              std::tuple(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(heist::fork_join(one(1), one(2), one(3), one(4), one(5), one(6), one(7)),
              std::tuple(1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(heist::fork_join(one(1), one(2), one(3), one(4), one(5), one(6), one(7), one(8)),
              std::tuple(1, 2, 3, 4, 5, 6, 7, 8));
  });
}

// A tree whose forks below the first lazy_forks are calls on one worker.
struct lazy_tree {
  std::vector<int> order;
  void visit(int depth) {
    if (depth == 0) return order.push_back(static_cast<int>(order.size()));
    heist::fork_join_lazily([&] { visit(depth - 1); }, [&] { visit(depth - 1); });
  }
};

unsigned long lazy_fib(unsigned long n) {
  if (n < 2) return n;
  const auto [a, b] =
      heist::fork_join_lazily([=] { return lazy_fib(n - 1); }, [=] { return lazy_fib(n - 2); });
  return a + b;
}

// Calls f inside of `depth` forks, whose others do nothing.
template <class F>
void below_forks(std::size_t depth, F&& f) {
  if (depth == 0) return f();
  heist::fork_join([&] { below_forks(depth - 1, f); }, [] {});
}

// A request that comes meanwhile has a fork recorded, and makes older ones public: so there are
// more of them than needed, and several rounds.
TEST(ForkJoinLazily, LeavesNothingWhereThereIsEnough) {
  heist::pool pool({.workers = 1});
  const auto depth = [] { return heist::detail::control_for_now().depth(); };
  const auto leaves_nothing_below = [&](std::size_t older) {
    bool result = false;
    pool.run([&] {
      below_forks(older, [&] {
        const auto before = depth();
        heist::fork_join_lazily([&] { result = depth() == before; },
                                [&] { EXPECT_EQ(depth(), before); });
      });
    });
    return result;
  };
  bool left_nothing = false;
  for (int round = 0; round < 100; ++round) {
    EXPECT_FALSE(leaves_nothing_below(heist::lazy_forks - 1));
    left_nothing = left_nothing || leaves_nothing_below(8 * heist::lazy_forks);
  }
  EXPECT_TRUE(left_nothing);
}

TEST(ForkJoinLazily, IsAsForkJoinOnEveryPool) {
  std::vector<heist::pool_config> configs{{.workers = 1}, {.workers = 3}, {.workers = 8}};
  for (const auto deque : heist::all_deque_kinds) configs.push_back({.workers = 3, .deque = deque});
  configs.push_back({.workers = 3, .stats = heist::stats_kind::full});
  for (const auto& config : configs) {
    heist::pool pool(config);
    EXPECT_EQ(pool.run([] { return lazy_fib(22); }), 17711u);
    pool.run([] {
      below_forks(20, [] {
        int x = 0;
        const auto [a, b, c, d] =
            heist::fork_join_lazily([] { return 1; }, [&]() -> int& { return x; }, [] {},
                                    [] { return std::make_unique<int>(4); });
        static_assert(std::is_same_v<decltype(b), int&>);
        EXPECT_EQ(a + *d, 5);
        EXPECT_EQ(&b, &x);
      });
    });
    EXPECT_EQ(heist::with(heist::policy::serial, [] { return lazy_fib(15); }), 610u);
  }
  EXPECT_EQ(lazy_fib(20), 6765u);  // in the default pool
}

TEST(ForkJoinLazily, OnOneWorkerTheOrderIsTheSerialOne) {
  heist::pool pool({.workers = 1});
  lazy_tree tree;
  pool.run([&] { tree.visit(12); });
  ASSERT_EQ(tree.order.size(), 4096u);
  EXPECT_TRUE(std::is_sorted(tree.order.begin(), tree.order.end()));
}

TEST(ForkJoinLazily, ThrowsTheLeftmostAndCallsNothingAfterIt) {
  heist::pool pool({.workers = 1});
  for (const std::size_t older : {std::size_t{0}, heist::lazy_forks})
    pool.run([&] {
      below_forks(older, [] {
        bool called = false;
        EXPECT_THROW(heist::fork_join_lazily([] { throw std::runtime_error("left"); },
                                             [&] { called = true; }),
                     std::runtime_error);
        EXPECT_FALSE(called);
      });
    });
}

// A thief that asks is answered by the next fork, however many older ones there are.
TEST(ForkJoinLazily, AThiefThatAsksGetsWork) {
  heist::pool pool({.workers = 2});
  std::atomic<unsigned> seen{0};
  for (int round = 0; round < 10'000 && seen != 3; ++round)
    pool.run([&] {
      const auto see = [&] {
        seen |= 1U << heist::this_worker::index();
        lazy_fib(14);
      };
      for (int i = 0; i < 8; ++i) heist::fork_join_lazily(see, see);
    });
  EXPECT_EQ(seen, 3u);
}

TEST(ForkJoinInAPool, RunsThere) {
  heist::pool pool({.workers = 2});
  const auto here = [] { return heist::this_worker::pool(); };
  EXPECT_EQ(heist::fork_join(pool, here, here), std::tuple(&pool, &pool));
  EXPECT_EQ(heist::fork_join(pool, here, here, here), std::tuple(&pool, &pool, &pool));
  int ran = 0;
  heist::fork_join(
      pool, [&] { ++ran; }, [] {});
  EXPECT_EQ(ran, 1);
  EXPECT_THROW(heist::fork_join(
                   pool, [] { throw std::runtime_error("left"); }, [] {}),
               std::runtime_error);
}

TEST(ForkJoinInAPool, UnderAStopConditionOfTheCaller) {
  heist::pool pool({.workers = 2});
  const auto here = [] { return heist::this_worker::pool(); };
  std::stop_source stop;
  EXPECT_EQ(heist::fork_join(pool, stop.get_token(), here, here), std::tuple(&pool, &pool));
  stop.request_stop();
  EXPECT_THROW(heist::fork_join(pool, stop.get_token(), here, here), heist::cancelled);
}

TEST(ForkJoinMany, OnOneWorkerTheOrderIsTheSerialOne) {
  heist::pool pool({.workers = 1});
  std::vector<int> order;
  const auto note = [&order](int n) { return [&order, n] { order.push_back(n); }; };
  pool.run([&] {
    heist::fork_join(
        note(1), [&] { heist::fork_join(note(2), note(3)); }, note(4),
        [&] { heist::fork_join(note(5), note(6), note(7)); }, note(8));
  });
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace heist_test
