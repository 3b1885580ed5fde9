// The partitioners run every iteration once and throw the leftmost exception; some remember
// measurements, which are checked too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "heist/for_each.hpp"
#include "heist/histogram.hpp"
#include "heist/parallel_for.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

using heist::parallel_for;

// All tests use one type, so that each partitioner is compiled once.
using body = std::function<void(int)>;

// Calls check(partitioner) with each partitioner.
template <class Check>
void with_each_partitioner(Check&& check) {
  const auto named = [&](const char* name, auto how) {
    SCOPED_TRACE(name);
    check(how);
  };
  named("on_demand", heist::on_demand{});
  named("static_blocks", heist::static_blocks{});
  named("interleaved", heist::interleaved{});
  named("interleaved by 7", heist::interleaved{.chunk = 7});
  named("dynamic", heist::dynamic{});
  named("dynamic by 100", heist::dynamic{.chunk = 100});
  named("guided", heist::guided{});
  named("guided from 16", heist::guided{.chunk = 16});
  named("no chunk", heist::dynamic{.chunk = 0});
  {
    SCOPED_TRACE("semi_static");
    heist::semi_static how(2);
    check(how);
  }
  {
    SCOPED_TRACE("affinity");
    heist::affinity how;
    check(how);
  }
}

TEST(Partitioners, RunEveryIterationOnce) {
  with_each_partitioner([](auto& how) {
    for (const auto& pool : pools()) {
      for (const int n : {0, 1, 2, 7, 100, 1000, 4999}) {
        for (int round = 0; round < 3; ++round) {
          std::vector<std::atomic<unsigned char>> seen(static_cast<std::size_t>(n));
          parallel_for(*pool, 0, n,
                       body([&](int i) { seen[static_cast<std::size_t>(i)].fetch_add(1); }), how);
          ASSERT_TRUE(std::all_of(seen.begin(), seen.end(), [](auto& s) { return s == 1; }))
              << n << " with " << pool->workers();
        }
      }
    }
  });
}

TEST(Partitioners, ThrowTheLeftmostOfWhatWasThrown) {
  with_each_partitioner([](auto& how) {
    for (const auto& pool : pools()) {
      for (int round = 0; round < scaled(20); ++round) {
        std::mutex mutex;
        std::set<int> thrown;
        try {
          parallel_for(*pool, 0, 500, body([&](int i) {
            if (i % 11 != round % 11) return;
            {
              const std::lock_guard hold(mutex);
              thrown.insert(i);
            }
            throw i;
          }),
                       how);
          ADD_FAILURE();
        } catch (int i) {
          EXPECT_EQ(i, *thrown.begin());
        }
      }
      // The partitioner can be used again.
      std::atomic<int> count{0};
      parallel_for(*pool, 0, 500, body([&](int) { ++count; }), how);
      EXPECT_EQ(count, 500);
    }
  });
}

void add_60_in_loops(std::atomic<int>& count) {
  const body one_more = [&](int) { ++count; };
  parallel_for(0, 20, one_more, heist::dynamic{});
  parallel_for(0, 20, one_more, heist::static_blocks{});
  parallel_for(0, 20, one_more);
}

TEST(Partitioners, NestInEachOther) {
  with_each_partitioner([](auto& outer) {
    std::atomic<int> count{0};
    parallel_for(*pools()[2], 0, 30, body([&](int) { add_60_in_loops(count); }), outer);
    EXPECT_EQ(count, 30 * 60);
  });
}

TEST(Partitioners, WorkForRangesAndForEach) {
  with_each_partitioner([](auto& how) {
    std::vector<int> v(300, 1);
    parallel_for(
        *pools()[2], v, [](int& x) { ++x; }, how);
    heist::for_each(
        *pools()[2], v.begin(), v.end(), [](int& x) { ++x; }, how);
    EXPECT_THAT(v, testing::Each(3));
  });
}

// The chunks that a partitioner hands out, ordered by first iteration.
template <class Partitioner>
std::vector<std::pair<std::size_t, std::size_t>> chunks_of(std::size_t n, unsigned workers,
                                                           Partitioner&& how) {
  std::mutex mutex;
  std::vector<std::pair<std::size_t, std::size_t>> chunks;
  how.run(
      n,
      [&](std::size_t first, std::size_t last) {
        const std::lock_guard hold(mutex);
        chunks.emplace_back(first, last - first);
      },
      workers);
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

TEST(Partitioners, CutAsTheySay) {
  using testing::ElementsAre;
  using testing::Pair;
  const std::vector<double> costs = {5, 1, 1, 1, 1, 1, 5, 0, 0, 0};
  EXPECT_THAT(chunks_of(10, 3, heist::weighted_blocks{costs}),
              ElementsAre(Pair(0, 1), Pair(1, 5), Pair(6, 4)));
  EXPECT_THAT(chunks_of(10, 3, heist::static_blocks{}),
              ElementsAre(Pair(0, 3), Pair(3, 3), Pair(6, 4)));
  EXPECT_THAT(chunks_of(10, 2, heist::interleaved{.chunk = 4}),
              ElementsAre(Pair(0, 4), Pair(4, 4), Pair(8, 2)));
  EXPECT_THAT(chunks_of(10, 2, heist::dynamic{.chunk = 4}),
              ElementsAre(Pair(0, 4), Pair(4, 4), Pair(8, 2)));
  EXPECT_THAT(chunks_of(100, 2, heist::guided{.chunk = 10}),
              ElementsAre(Pair(0, 25), Pair(25, 18), Pair(43, 14), Pair(57, 10), Pair(67, 10),
                          Pair(77, 10), Pair(87, 10), Pair(97, 3)));
  EXPECT_THAT(
      chunks_of(SIZE_MAX, 2, heist::dynamic{.chunk = SIZE_MAX / 2}),
      ElementsAre(Pair(0, SIZE_MAX / 2), Pair(SIZE_MAX / 2, SIZE_MAX / 2), Pair(SIZE_MAX - 1, 1)));
}

TEST(WeightedBlocks, RefuseCostsThatAreNone) {
  const auto run = [](const std::vector<double>& costs) -> std::string {
    try {
      parallel_for(
          0, 3, [](int) {}, heist::weighted_blocks{costs});
    } catch (const heist::usage_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(run({0, 0, 0}), "");
  EXPECT_EQ(run({1, 2}), "weighted_blocks: 2 costs for 3 iterations");
  EXPECT_EQ(run({1, -2, 1}),
            "weighted_blocks: the cost of iteration 1 is -2.000000: must be finite and at least 0");
  EXPECT_THAT(run({1, 2, NAN}), testing::HasSubstr("iteration 2"));
}

// The first half costs nothing, so after a measurement its block is the larger one.
TEST(SemiStatic, MovesItsBoundsToWhereTheCostIs) {
  if (is_serial()) GTEST_SKIP() << "one block";
  heist::pool pool({.workers = 2});
  heist::semi_static how(1);
  EXPECT_TRUE(how.bounds().empty());
  const auto loop = [&] {
    parallel_for(
        pool, 0, 128, [](int i) { linger(std::chrono::microseconds(i < 64 ? 0 : 200)); }, how);
  };
  // The measurement of a preempted worker is meaningless.
  EXPECT_TRUE(eventually([&] {
    loop();
    return how.bounds()[1] > 80 && how.bounds()[1] < 112;
  }));
  EXPECT_EQ(how.bounds().front(), 0U);
  EXPECT_EQ(how.bounds().back(), 128U);
}

TEST(Affinity, GivesBlocksToThoseWhoHadThem) {
  if (is_serial()) GTEST_SKIP() << "one worker";
  heist::pool pool({.workers = 2});
  heist::affinity how;
  std::vector<std::atomic<int>> by(16);
  parallel_for(
      pool, 0, 16, [&](int i) { by[static_cast<std::size_t>(i)] = heist::this_worker::index(); },
      how);
  const auto homes = how.homes();
  ASSERT_EQ(homes.size(), 16U);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(homes[i], by[i].load());
  // While one worker is held up in its first block, the other takes its own blocks first.
  EXPECT_TRUE(eventually([&] {
    std::mutex mutex;
    std::vector<std::pair<int, int>> order;  // who, whose
    const auto before = how.homes();
    parallel_for(
        pool, 0, 16,
        [&](int i) {
          const int me = heist::this_worker::index();
          const std::lock_guard hold(mutex);
          order.emplace_back(me, before[static_cast<std::size_t>(i)]);
        },
        how);
    // No worker takes another's block before its own.
    for (int me : {0, 1}) {
      bool others = false;
      for (const auto& [who, whose] : order) {
        if (who != me) continue;
        others = others || whose != me;
        if (others && whose == me) return false;
      }
    }
    return true;
  }));
}

TEST(RememberingPartitioners, RefuseTwoLoopsAtOnce) {
  heist::semi_static measured;
  heist::affinity faithful;
  const auto twice = [](auto& how) {
    parallel_for(
        *pools()[0], 0, 3,
        [&](int) {
          parallel_for(
              0, 3, [](int) {}, how);
        },
        how);
  };
  EXPECT_THROW(twice(measured), heist::usage_error);
  EXPECT_THROW(twice(faithful), heist::usage_error);
  parallel_for(
      0, 3, [](int) {}, measured);
  parallel_for(
      0, 3, [](int) {}, faithful);
}

TEST(Histogram, CountsAndRefusesBinsThatAreNone) {
  std::vector<unsigned> v(20'000);
  std::vector<std::size_t> expected(10);
  for (unsigned i = 0; i < v.size(); ++i) ++expected[v[i] = i * i % 10];
  for (const auto& pool : pools()) {
    EXPECT_EQ(heist::histogram(*pool, v, 10, [](unsigned x) { return x; }), expected);
    EXPECT_THROW(heist::histogram(*pool, v, 9, [](unsigned x) { return x; }), heist::usage_error);
    EXPECT_THROW(heist::histogram(*pool, v, 9, [](unsigned) { return -1; }), heist::usage_error);
    EXPECT_THROW(heist::histogram(*pool, v, -9, [](unsigned) { return 1; }), heist::usage_error);
  }
  EXPECT_THAT(heist::histogram(v.begin(), v.begin(), 2, [](unsigned) { return 0; }),
              testing::ElementsAre(0, 0));
}

}  // namespace
}  // namespace heist_test
