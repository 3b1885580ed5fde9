// parallel_for over indices, ranges and blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <list>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "heist/for_each.hpp"
#include "heist/parallel_for.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

using heist::block;
using heist::parallel_for;

using visits = std::vector<std::atomic<unsigned char>>;

bool all_once(const visits& seen) {
  return std::all_of(seen.begin(), seen.end(), [](const auto& v) { return v.load() == 1; });
}

TEST(ParallelFor, RunsEveryIndexOnce) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : {0U, 1U, 2U, 3U, 31U, 63U, 64U, 65U, 1000U, 5000U, 100'003U}) {
      visits seen(n);
      parallel_for(*pool, std::size_t{0}, n, [&](std::size_t i) { seen[i].fetch_add(1); });
      EXPECT_TRUE(all_once(seen)) << n << " with " << pool->workers();
    }
  }
}

TEST(ParallelFor, RunsEveryIndexOnceWithEveryDequeAndJoin) {
  for (const auto deque : heist::all_deque_kinds) {
    for (const auto join : heist::all_join_kinds) {
      heist::pool pool({.workers = 3, .deque = deque, .join = join});
      for (const std::size_t n : {3U, 1000U, 50'000U}) {
        visits seen(n);
        parallel_for(pool, std::size_t{0}, n, [&](std::size_t i) { seen[i].fetch_add(1); });
        EXPECT_TRUE(all_once(seen)) << n << ' ' << to_string(deque) << ' ' << to_string(join);
      }
    }
  }
}

TEST(ParallelFor, OutsideAnyPoolEntersTheDefaultOneOnce) {
  if (is_serial()) GTEST_SKIP() << "nothing enters a pool";
  const auto roots = [] { return heist::default_pool().stats().total.roots; };
  const auto before = roots();
  std::atomic<int> outside{0};
  parallel_for(0, 100, [&](int) { outside += heist::this_worker::index() < 0 ? 1 : 0; });
  EXPECT_EQ(roots(), before + 1);
  EXPECT_EQ(outside.load(), 0);
  parallel_for(5, 5, [](int) { FAIL(); });
  EXPECT_EQ(roots(), before + 1);
}

TEST(ParallelFor, RunsInOrderOnOneWorker) {
  std::vector<int> order;
  parallel_for(*pools()[0], -50, 5000, [&](int i) { order.push_back(i); });
  std::vector<int> expected(5050);
  std::iota(expected.begin(), expected.end(), -50);
  EXPECT_EQ(order, expected);
}

TEST(ParallelFor, TakesAnyTwoIntegralTypes) {
  std::atomic<long> sum{0};
  const auto add = [&](auto i) { sum += static_cast<long>(i); };
  parallel_for(0, std::size_t{10}, [&](auto i) {
    static_assert(std::is_same_v<decltype(i), std::size_t>);
    add(i);
  });
  parallel_for(short{-3}, short{3}, add);
  parallel_for(SCHAR_MIN, SCHAR_MAX, add);
  parallel_for(static_cast<signed char>(SCHAR_MIN), static_cast<signed char>(SCHAR_MAX), add);
  parallel_for(LONG_MAX - 2, LONG_MAX, [&](long i) { add(i - LONG_MAX); });
  parallel_for(UINT64_MAX - 2, UINT64_MAX, [&](std::uint64_t i) { add(i == UINT64_MAX - 1); });
  EXPECT_EQ(sum.load(), 45 - 3 - 255 - 255 - 3 + 1);
}

template <class I, class J>
std::string refusal_of(I first, J last) {
  try {
    parallel_for(first, last, [](auto) { ADD_FAILURE(); });
  } catch (const heist::usage_error& e) {
    return e.what();
  }
  return "none";
}

TEST(ParallelFor, RefusesAnInvertedRangeByName) {
  EXPECT_EQ(refusal_of(5, 3), "heist::parallel_for: there is no range from 5 to 3");
  EXPECT_EQ(refusal_of(0U, -2L), "heist::parallel_for: there is no range from 0 to -2");
  EXPECT_EQ(refusal_of(std::size_t{0}, -2), "heist::parallel_for: there is no range from 0 to -2");
  EXPECT_EQ(refusal_of(UINT64_MAX, std::uint64_t{7}),
            "heist::parallel_for: there is no range from 18446744073709551615 to 7");
  const std::string reason =
      ": the index has their common type, which is unsigned, so -1 would be its largest number or "
      "near it";
  EXPECT_EQ(refusal_of(-1, std::size_t{10}),
            "heist::parallel_for: there is no range from -1 to 10" + reason);
  EXPECT_EQ(refusal_of(-1, 5U), "heist::parallel_for: there is no range from -1 to 5" + reason);
}

TEST(ParallelFor, IteratesOverRanges) {
  for (const auto& pool : pools()) {
    std::vector<int> values(3000, 1);
    parallel_for(*pool, values, [](int& v) { v += 1; });
    parallel_for(*pool, std::span(values).first(10), [](int& v) { v += 1; });
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 6010);
    std::vector<bool> bits(700, false);
    parallel_for(*pools()[0], bits, [](auto bit) { bit = true; });
    EXPECT_EQ(std::count(bits.begin(), bits.end(), true), 700);
  }
}

// heist does not promise when this happens, so each iteration waits a while for others, and the
// test repeats until it happens.
TEST(ParallelFor, LetsOthersHelpWhenTheyAsk) {
  if (is_serial()) GTEST_SKIP() << "nobody helps";
  for (const auto deque : heist::all_deque_kinds) {
    heist::pool pool({.workers = 3, .deque = deque});
    for (const int n : {2, 100, 2000}) {
      EXPECT_TRUE(eventually([&] {
        std::atomic<unsigned> workers{0};
        const auto several = [&] { return (workers & (workers - 1)) != 0; };
        parallel_for(pool, 0, n, [&](int) {
          workers |= 1U << heist::this_worker::index();
          for (int i = 0; i < 100 && !several(); ++i) sched_yield();
        });
        return several();
      })) << to_string(deque)
          << ' ' << n;
    }
  }
}

TEST(ParallelFor, DoesNotSplitForNobody) {
  heist::pool one({.workers = 1});
  one.run([] { parallel_for(0, 100'000, [](int) {}); });
  const auto stats = one.stats().total;
  EXPECT_EQ(stats.exposes + stats.steals + stats.inlined_forks, 0U);
}

TEST(ParallelFor, ThrowsTheLeftmostOfWhatWasThrown) {
  for (const auto& pool : pools()) {
    for (const int n : {1, 2, 70, 3000}) {
      for (int round = 0; round < scaled(20); ++round) {
        std::mutex mutex;
        std::set<int> thrown;
        int caught = -1;
        try {
          parallel_for(*pool, 0, n, [&](int i) {
            if (i % 7 != round % 7) return;
            {
              const std::lock_guard hold(mutex);
              thrown.insert(i);
            }
            throw i;
          });
        } catch (int i) {
          caught = i;
        }
        if (thrown.empty()) {
          EXPECT_EQ(caught, -1);
        } else {
          EXPECT_EQ(caught, *thrown.begin()) << n << " with " << pool->workers();
        }
      }
    }
  }
}

TEST(ParallelFor, NestsInItself) {
  for (const auto& pool : pools()) {
    visits seen(60 * 70);
    parallel_for(*pool, 0, 60, [&](int y) {
      parallel_for(0, 70, [&](int x) { seen[static_cast<std::size_t>(y * 70 + x)].fetch_add(1); });
    });
    EXPECT_TRUE(all_once(seen));
  }
}

TEST(ParallelFor, RunsAsCallsWhereForksDo) {
  heist::pool shallow({.workers = 3, .fork_depth = 1});
  visits seen(20'000);
  parallel_for(shallow, std::size_t{0}, seen.size(), [&](std::size_t i) { seen[i].fetch_add(1); });
  EXPECT_TRUE(all_once(seen));
}

TEST(ParallelForBlock, RunsEveryCellOnce) {
  for (const auto& pool : pools()) {
    for (const std::size_t height : {0U, 1U, 2U, 37U, 300U}) {
      for (const std::size_t width : {0U, 1U, 5U, 211U}) {
        visits seen(height * width);
        parallel_for(
            *pool, block<2>{{3, 7}, {3 + height, 7 + width}},
            [&](std::size_t y, std::size_t x) { seen[(y - 3) * width + x - 7].fetch_add(1); });
        EXPECT_TRUE(all_once(seen)) << height << " x " << width;
      }
    }
    visits seen(11 * 13 * 17);
    parallel_for(*pool, block<3>{{0, 0, 0}, {11, 13, 17}},
                 [&](std::size_t z, std::size_t y, std::size_t x) {
                   seen[(z * 13 + y) * 17 + x].fetch_add(1);
                 });
    EXPECT_TRUE(all_once(seen));
  }
}

TEST(ParallelForBlock, HandsOutTilesToThoseWhoTakeThem) {
  for (const auto& pool : pools()) {
    visits seen(100 * 90);
    parallel_for(*pool, block<2>{{0, 0}, {100, 90}}, [&](const block<2>& tile) {
      for (std::size_t y = tile.first[0]; y < tile.last[0]; ++y)
        for (std::size_t x = tile.first[1]; x < tile.last[1]; ++x) seen[y * 90 + x].fetch_add(1);
    });
    EXPECT_TRUE(all_once(seen));
  }
}

// The indices of a loop with a step, in their order.
template <class I, class J, class K>
std::vector<std::common_type_t<I, J>> indices_with_step(heist::pool& pool, I first, J last, K by) {
  using index = std::common_type_t<I, J>;
  std::mutex lock;
  std::vector<index> seen;
  parallel_for(pool, first, last, heist::step{by}, [&](index i) {
    const std::lock_guard held(lock);
    seen.push_back(i);
  });
  std::sort(seen.begin(), seen.end());
  if (by < 0) std::reverse(seen.begin(), seen.end());
  return seen;
}

TEST(ParallelForStep, TakesTheIndicesThatASerialLoopTakes) {
  for (const auto& pool : pools()) {
    for (const int by : {1, 2, 3, 7, 1000, -1, -2, -3, -1000}) {
      for (const int way : {0, 1, 2, 3, 6, 7, 500, 1001}) {
        std::vector<int> expected;
        const int last = by > 0 ? 10 + way : 10 - way;
        for (int i = 10; by > 0 ? i < last : i > last; i += by) expected.push_back(i);
        EXPECT_EQ(indices_with_step(*pool, 10, last, by), expected) << by << ' ' << way;
      }
    }
  }
}

TEST(ParallelForStep, IsExactAtTheEndsOfATypesRange) {
  using testing::ElementsAre;
  heist::pool pool({.workers = 2});
  EXPECT_THAT(indices_with_step(pool, std::int8_t{-128}, std::int8_t{127}, 100),
              ElementsAre(-128, -28, 72));
  EXPECT_THAT(indices_with_step(pool, std::int8_t{127}, std::int8_t{-128}, -100),
              ElementsAre(127, 27, -73));
  EXPECT_THAT(indices_with_step(pool, std::uint16_t{0}, std::uint16_t{65535}, 32767U),
              ElementsAre(0, 32767, 65534));
  EXPECT_THAT(indices_with_step(pool, 0, INT_MAX, INT_MAX), ElementsAre(0));
  EXPECT_THAT(indices_with_step(pool, INT_MIN, INT_MAX, INT_MAX),
              ElementsAre(INT_MIN, -1, INT_MAX - 1));
  EXPECT_THAT(indices_with_step(pool, 5, 6, LLONG_MAX), ElementsAre(5));
  EXPECT_THAT(indices_with_step(pool, LLONG_MAX, LLONG_MIN, LLONG_MIN), ElementsAre(LLONG_MAX, -1));
  EXPECT_THAT(indices_with_step(pool, std::uint64_t{0}, UINT64_MAX, UINT64_MAX / 2),
              ElementsAre(0U, UINT64_MAX / 2, UINT64_MAX - 1));
}

TEST(ParallelForStep, RefusesAStepOfZeroAndTheWrongDirection) {
  const auto what = [](int first, int last, int by) -> std::string {
    try {
      parallel_for(first, last, heist::step{by}, [](int) { ADD_FAILURE(); });
    } catch (const heist::usage_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(what(0, 10, 0), testing::HasSubstr("parallel_for: a step of 0"));
  EXPECT_THAT(what(10, 3, 2), testing::HasSubstr("from 10 to 3"));
  EXPECT_THAT(what(3, 10, -2), testing::HasSubstr("from 3 to 10"));
}

TEST(ParallelForStep, WorksWithStopConditionsAndPartitioners) {
  heist::pool pool({.workers = 3});
  std::stop_source source;
  std::atomic<int> sum{0};
  parallel_for(pool, source.get_token(), 0, 10, heist::step{5}, [&](int i) { sum += i; });
  EXPECT_EQ(sum.load(), 5);
  parallel_for(
      pool, 0, 1000, heist::step{100}, [&](int i) { sum += i; }, heist::dynamic{1});
  EXPECT_EQ(sum.load(), 4505);
  source.request_stop();
  EXPECT_THROW(parallel_for(source.get_token(), 0, 10, heist::step{5}, [](int) {}),
               heist::cancelled);
}

TEST(ParallelForBlock, RefusesAnInvertedOne) {
  const auto body = [](std::size_t, std::size_t) { ADD_FAILURE(); };
  EXPECT_THROW(parallel_for(block<2>{{0, 5}, {9, 4}}, body), heist::usage_error);
  EXPECT_THROW(parallel_for(block<2>{{1, 0}, {0, 0}}, body), heist::usage_error);
}

TEST(ParallelForBlock, CountsMoreCellsThanAnIntegerHolds) {
  EXPECT_EQ((block<3>{{0, 0, 0}, {SIZE_MAX, 2, 2}}.size()), SIZE_MAX);
  EXPECT_EQ((block<3>{{0, 0, 4}, {SIZE_MAX, 2, 4}}.size()), 0U);
}

TEST(ForEach, VisitsEveryElementOnceInArraysAndLists) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : {0U, 1U, 5U, 1023U, 1024U, 1025U, 5000U}) {
      visits array(n);
      heist::for_each(*pool, array.begin(), array.end(), [](auto& v) { v.fetch_add(1); });
      EXPECT_TRUE(all_once(array)) << n;
      std::list<std::atomic<unsigned char>> list(n);
      heist::for_each(*pool, list, [](auto& v) { v.fetch_add(1); });
      EXPECT_TRUE(std::all_of(list.begin(), list.end(), [](auto& v) { return v == 1; })) << n;
    }
  }
}

TEST(ForEach, ThrowsTheLeftmostInALittleList) {
  std::list<int> list(100);
  std::iota(list.begin(), list.end(), 0);
  int caught = -1;
  try {
    heist::for_each(*pools()[0], list, [](int v) {
      if (v % 10 == 9) throw v;
    });
  } catch (int v) {
    caught = v;
  }
  EXPECT_EQ(caught, 9);
}

}  // namespace
}  // namespace heist_test
