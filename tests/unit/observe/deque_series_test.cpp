// Sizes of deques over time: the steps of series that are known, and an observer beside a pool.
#include "heist/deque_series.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heist/heist.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::changes_of;
using heist::deque_series;
using heist::size_changes;

deque_series series_of(std::vector<std::uint64_t> times, std::vector<std::uint32_t> sizes) {
  deque_series s;
  s.times = std::move(times);
  s.sizes = {std::move(sizes)};
  return s;
}

double all_of(const size_changes& c) {
  return std::accumulate(c.probability.begin(), c.probability.end(), c.less + c.more);
}

TEST(DequeSeries, StepsAsLongAsTheDistancesAreTheChangesThemselves) {
  const auto c =
      changes_of(series_of({0, 100, 200, 300, 400, 500}, {0, 1, 3, 3, 2, 0}), 100).front();
  EXPECT_EQ(c.steps, 5U);
  EXPECT_DOUBLE_EQ(c.probability[0], 0.2);  // -2
  EXPECT_DOUBLE_EQ(c.probability[1], 0.2);
  EXPECT_DOUBLE_EQ(c.probability[2], 0.2);
  EXPECT_DOUBLE_EQ(c.probability[3], 0.2);
  EXPECT_DOUBLE_EQ(c.probability[4], 0.2);
  EXPECT_DOUBLE_EQ(c.covered, 1);
  EXPECT_DOUBLE_EQ(c.mean_size, 1.5);
  EXPECT_EQ(c.greatest_size, 3U);
}

// A change of 1 in four steps is a quarter of one in each.
TEST(DequeSeries, InterpolatesBetweenSamples) {
  const auto c = changes_of(series_of({1000, 1400, 1800}, {5, 6, 4}), 100).front();
  EXPECT_EQ(c.steps, 8U);
  EXPECT_DOUBLE_EQ(c.probability[3], 4 * 0.25 / 8);
  EXPECT_DOUBLE_EQ(c.probability[1], 4 * 0.5 / 8);
  EXPECT_DOUBLE_EQ(c.probability[2], 1 - (1.0 + 2.0) / 8);
  EXPECT_DOUBLE_EQ(all_of(c), 1);
}

// Of a step that holds several samples the ends count.
TEST(DequeSeries, TakesStepsThatAreLongerThanTheDistances) {
  const auto c = changes_of(series_of({0, 10, 20, 30, 40}, {0, 7, 1, 3, 5}), 20).front();
  EXPECT_EQ(c.steps, 2U);
  EXPECT_DOUBLE_EQ(c.probability[3], 0.5);  // 0 to 1
  EXPECT_DOUBLE_EQ(c.more, 0.5);            // 1 to 5
}

TEST(DequeSeries, LeavesPausesOfTheObserverOut) {
  std::vector<std::uint64_t> times(100);
  std::iota(times.begin(), times.end(), 0);
  for (auto& t : times) t *= 10;
  for (std::size_t i = 50; i < times.size(); ++i) times[i] += 100'000;
  std::vector<std::uint32_t> sizes(100, 2);
  for (std::size_t i = 50; i < sizes.size(); ++i) sizes[i] = 90;
  const auto c = changes_of(series_of(times, sizes), 10).front();
  EXPECT_EQ(c.steps, 98U);
  EXPECT_DOUBLE_EQ(c.probability[2], 1);
  EXPECT_LT(c.covered, 0.02);
}

TEST(DequeSeries, KnowsNothingOfTooFewSamples) {
  EXPECT_TRUE(changes_of(deque_series{}, 100).empty());
  EXPECT_EQ(changes_of(series_of({}, {}), 100).front().steps, 0U);
  EXPECT_EQ(changes_of(series_of({5}, {1}), 100).front().steps, 0U);
  EXPECT_EQ(changes_of(series_of({5, 5, 5}, {1, 2, 3}), 100).front().steps, 0U);
  for (const double step : {0.0, -1.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(static_cast<void>(changes_of(series_of({0, 10}, {1, 1}), step)),
                 heist::usage_error);
}

// The mean of the changes is the slope of the series, whatever the step.
TEST(DequeSeries, KeepsTheMeanChange) {
  const auto s = series_of({0, 130, 260, 390, 520}, {0, 2, 4, 6, 8});
  for (const double step : {13.0, 26.0, 65.0}) {
    const auto c = changes_of(s, step).front();
    double mean = 0;
    for (std::size_t i = 0; i < 5; ++i) mean += c.probability[i] * (static_cast<double>(i) - 2);
    EXPECT_NEAR(mean, 8 * step / 520, 1e-9) << step;
  }
}

class DequeObserver : public testing::TestWithParam<heist::deque_kind> {};

// One worker holds a known number of jobs while the other ones can take none of them.
TEST_P(DequeObserver, SeesWhatADequeHolds) {
  const watchdog guard("observing");
  heist::pool pool({.workers = 1, .deque = GetParam()});
  heist::deque_observer observer(pool);
  pool.run([] {
    const auto nest = [](const auto& self, int depth) -> void {
      if (depth == 0) return linger(std::chrono::milliseconds(tsan ? 200 : 30));
      heist::fork_join([&] { self(self, depth - 1); }, [] {});
    };
    nest(nest, 5);
  });
  const deque_series s = observer.stop();
  ASSERT_EQ(s.sizes.size(), 1U);
  ASSERT_EQ(s.sizes[0].size(), s.times.size());
  ASSERT_FALSE(s.times.empty());
  EXPECT_TRUE(std::is_sorted(s.times.begin(), s.times.end()));
  EXPECT_GT(s.ticks_per_second, 1e6);
  EXPECT_EQ(*std::max_element(s.sizes[0].begin(), s.sizes[0].end()), 5U);
  EXPECT_TRUE(observer.stop().times.empty());
}

// It looks on while jobs are stolen, pools sleep, and threads from outside come and go.
TEST_P(DequeObserver, DisturbsNoProgram) {
  const watchdog guard("observing");
  heist::pool pool({.workers = 3, .deque = GetParam()});
  heist::deque_observer observer(pool, 1 << 16);
  for (int round = 0; round < scaled(20); ++round) {
    EXPECT_EQ(pool.run([] { return fib(16); }), 987);
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  const deque_series s = observer.stop();
  EXPECT_EQ(s.sizes.size(), GetParam() == heist::deque_kind::shared_queue ? 1U : 3U);
  for (const size_changes& c : changes_of(s, 100)) {
    EXPECT_LE(c.covered, 1);
    if (c.steps != 0) {
      EXPECT_NEAR(all_of(c), 1, 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DequeObserver, testing::ValuesIn(heist::all_deque_kinds),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(DequeObserver, EndsWhenItsMemoryIsFull) {
  heist::pool pool({.workers = 1});
  deque_series s;
  EXPECT_TRUE(eventually([&] {  // its thread may begin late
    heist::deque_observer observer(pool, 100);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    s = observer.stop();
    return s.is_cut;
  }));
  EXPECT_EQ(s.times.size(), 100U);
}

TEST(DequeObserver, MayBeDestroyedWithoutAStop) {
  heist::pool pool({.workers = 2});
  const heist::deque_observer observer(pool);
}

}  // namespace
}  // namespace heist_test
