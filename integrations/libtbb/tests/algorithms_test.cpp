// oneTBB's algorithms, whose code is in its headers: results, and what they ask of the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "oneapi/tbb.h"

namespace {

using range = tbb::blocked_range<std::size_t>;

TEST(Algorithms, ForVisitsEachIndexOnceWithEveryPartitioner) {
  for (const std::size_t n : {0u, 1u, 2u, 1000u, 100'000u}) {
    const auto check = [&](auto run) {
      std::vector<std::atomic<int>> visits(n);
      run([&](const range& r) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) ++visits[i];
      });
      for (const auto& v : visits) ASSERT_EQ(v.load(), 1);
    };
    check([&](auto body) { tbb::parallel_for(range(0, n), body); });
    check([&](auto body) { tbb::parallel_for(range(0, n), body, tbb::simple_partitioner{}); });
    check([&](auto body) { tbb::parallel_for(range(0, n), body, tbb::static_partitioner{}); });
    tbb::affinity_partitioner same;
    for (int round = 0; round < 3; ++round)
      check([&](auto body) { tbb::parallel_for(range(0, n), body, same); });
  }
}

TEST(Algorithms, ForStepsAndRefusesAStepThatIsNotPositive) {
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 1000, 7, [&](int i) { sum += i; });
  EXPECT_EQ(sum.load(), 143 * 142 / 2 * 7);
  EXPECT_THROW(tbb::parallel_for(0, 10, 0, [](int) {}), std::invalid_argument);
}

TEST(Algorithms, NestedLoopsAndRangesOfMoreDimensions) {
  std::atomic<long> cells{0};
  tbb::parallel_for(0, 50, [&](int) {
    tbb::parallel_for(0, 50, [&](int) { tbb::parallel_for(0, 5, [&](int) { ++cells; }); });
  });
  EXPECT_EQ(cells.load(), 50 * 50 * 5);
  cells = 0;
  tbb::parallel_for(tbb::blocked_range3d<int>(0, 20, 0, 30, 0, 40), [&](const auto& r) {
    cells += static_cast<long>(r.pages().size() * r.rows().size() * r.cols().size());
  });
  EXPECT_EQ(cells.load(), 20 * 30 * 40);
}

TEST(Algorithms, ReduceAndDeterministicReduce) {
  std::vector<double> v(300'001);
  std::mt19937 random(1);
  for (double& x : v) x = std::uniform_real_distribution<>(0, 1)(random);
  const auto fold = [&](const range& r, double sum) {
    for (std::size_t i = r.begin(); i != r.end(); ++i) sum += v[i];
    return sum;
  };
  const double serial = std::accumulate(v.begin(), v.end(), 0.0);
  EXPECT_NEAR(tbb::parallel_reduce(range(0, v.size()), 0.0, fold, std::plus<>{}), serial, 1e-6);
  const double once =
      tbb::parallel_deterministic_reduce(range(0, v.size(), 100), 0.0, fold, std::plus<>{});
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(tbb::parallel_deterministic_reduce(range(0, v.size(), 100), 0.0, fold, std::plus<>{}),
              once);
  // The order of the operands is kept.
  const auto text = tbb::parallel_reduce(
      tbb::blocked_range<int>(0, 2000), std::string(),
      [](const tbb::blocked_range<int>& r, std::string s) {
        for (int i = r.begin(); i != r.end(); ++i) s += static_cast<char>('a' + i % 26);
        return s;
      },
      std::plus<>{});
  for (int i = 0; i < 2000; ++i)
    ASSERT_EQ(text[static_cast<std::size_t>(i)], static_cast<char>('a' + i % 26));
}

TEST(Algorithms, Scan) {
  std::vector<std::int64_t> in(200'000), out(in.size()), expected(in.size());
  std::iota(in.begin(), in.end(), 1);
  std::inclusive_scan(in.begin(), in.end(), expected.begin());
  const std::int64_t total = tbb::parallel_scan(
      range(0, in.size()), std::int64_t{0},
      [&](const range& r, std::int64_t sum, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += in[i];
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      std::plus<>{});
  EXPECT_EQ(total, expected.back());
  EXPECT_EQ(out, expected);
}

TEST(Algorithms, Sort) {
  std::mt19937 random(2);
  for (const std::size_t n : {0u, 1u, 499u, 501u, 200'000u}) {
    std::vector<unsigned> v(n);
    for (unsigned& x : v) x = static_cast<unsigned>(random());
    auto expected = v;
    std::sort(expected.begin(), expected.end(), std::greater<>{});
    tbb::parallel_sort(v.begin(), v.end(), std::greater<>{});
    EXPECT_EQ(v, expected);
  }
}

TEST(Algorithms, ForEachWithAFeeder) {
  std::atomic<int> visited{0};
  std::vector<int> roots{12, 12, 12};
  tbb::parallel_for_each(roots.begin(), roots.end(), [&](int depth, tbb::feeder<int>& feeder) {
    ++visited;
    if (depth == 0) return;
    feeder.add(depth - 1);
    feeder.add(depth - 1);
  });
  EXPECT_EQ(visited.load(), 3 * ((1 << 13) - 1));
}

TEST(Algorithms, Invoke) {
  std::atomic<int> sum{0};
  tbb::parallel_invoke([&] { sum += 1; }, [&] { sum += 10; }, [&] { sum += 100; },
                       [&] { sum += 1000; }, [&] { sum += 10'000; });
  EXPECT_EQ(sum.load(), 11'111);
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::task_group group;
  group.run([&] { a = fib(n - 1); });
  group.run_and_wait([&] { b = fib(n - 2); });
  return a + b;
}

TEST(TaskGroup, FibAndManyTasksFromOneThread) {
  EXPECT_EQ(fib(22), 17'711);
  tbb::task_group group;
  std::atomic<int> ran{0};
  for (int i = 0; i < 100'000; ++i) group.run([&] { ++ran; });
  EXPECT_EQ(group.wait(), tbb::complete);
  EXPECT_EQ(ran.load(), 100'000);
  // Deferred tasks, and a group that is used again.
  tbb::task_handle later = group.defer([&] { ran += 5; });
  EXPECT_EQ(ran.load(), 100'000);
  group.run(std::move(later));
  group.wait();
  EXPECT_EQ(ran.load(), 100'005);
}

TEST(Affinity, AnAffinePartitionerPutsChunksWhereTheyWere) {
  // Only that it works: where they run is a wish.
  std::vector<int> v(100'000, 0);
  tbb::affinity_partitioner same;
  for (int round = 0; round < 50; ++round) {
    tbb::parallel_for(
        range(0, v.size()),
        [&](const range& r) {
          for (std::size_t i = r.begin(); i != r.end(); ++i) ++v[i];
        },
        same);
  }
  EXPECT_EQ(std::count(v.begin(), v.end(), 50), 100'000);
}

TEST(FloatingPoint, TasksRunWithTheModesOfTheContext) {
  const int before = std::fegetround();
  std::fesetround(FE_UPWARD);
  tbb::task_group_context context(tbb::task_group_context::isolated,
                                  tbb::task_group_context::fp_settings);
  std::fesetround(before);
  std::atomic<int> wrong{0};
  tbb::parallel_for(
      0, 1000, [&](int) { wrong += std::fegetround() != FE_UPWARD; }, tbb::auto_partitioner{},
      context);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(std::fegetround(), before);
}

TEST(Pipeline, SerialFiltersKeepTheOrder) {
  for (const std::size_t tokens : {1u, 2u, 16u, 1000u}) {
    int next = 0;
    std::vector<long> out;
    tbb::parallel_pipeline(
        tokens, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                            [&](tbb::flow_control& control) {
                                              if (next == 5000) {
                                                control.stop();
                                                return 0;
                                              }
                                              return next++;
                                            }) &
                    tbb::make_filter<int, long>(tbb::filter_mode::parallel,
                                                [](int i) { return static_cast<long>(i) * i; }) &
                    tbb::make_filter<long, std::string>(tbb::filter_mode::serial_out_of_order,
                                                        [](long x) { return std::to_string(x); }) &
                    tbb::make_filter<std::string, void>(
                        tbb::filter_mode::serial_in_order,
                        [&](const std::string& text) { out.push_back(std::stol(text)); }));
    ASSERT_EQ(out.size(), 5000u);
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], static_cast<long>(i) * static_cast<long>(i));
  }
}

TEST(Pipeline, AParallelInputEndsOnce) {
  std::atomic<int> next{0}, ended{0};
  tbb::parallel_pipeline(
      8, tbb::make_filter<void, int>(tbb::filter_mode::parallel, [&](tbb::flow_control& control) {
           const int i = next++;
           if (i >= 10'000) control.stop();
           return i;
         }) & tbb::make_filter<int, void>(tbb::filter_mode::parallel, [&](int) { ++ended; }));
  EXPECT_EQ(ended.load(), 10'000);
}

TEST(Pipeline, NoFilterRunsAfterACancellation) {
  tbb::task_group_context context;
  int read = 0, ended = 0;
  tbb::parallel_pipeline(
      1,
      tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                  [&](tbb::flow_control& control) {
                                    if (read == 100) control.stop();
                                    return read++;
                                  }) &
          tbb::make_filter<int, int>(tbb::filter_mode::parallel,
                                     [&](int i) {
                                       if (i == 3) context.cancel_group_execution();
                                       return i;
                                     }) &
          tbb::make_filter<int, void>(tbb::filter_mode::parallel, [&](int) { ++ended; }),
      context);
  EXPECT_EQ(ended, 3);
  EXPECT_EQ(read, 4);
}

TEST(Pipeline, AnExceptionEndsItAndFreesTheItems) {
  static std::atomic<int> alive{0};
  struct item {
    item() { ++alive; }
    item(const item&) { ++alive; }
    item(item&&) noexcept { ++alive; }
    ~item() { --alive; }
    char memory[64]{};
  };
  int read = 0, count = 0;
  EXPECT_THROW(tbb::parallel_pipeline(
                   8, tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order,
                                                   [&](tbb::flow_control& control) {
                                                     if (++read > 1000) control.stop();
                                                     return item();
                                                   }) &
                          tbb::make_filter<item, item>(tbb::filter_mode::parallel,
                                                       [](item i) { return i; }) &
                          tbb::make_filter<item, void>(tbb::filter_mode::serial_in_order,
                                                       [&](const item&) {
                                                         if (++count == 100)
                                                           throw std::runtime_error("enough");
                                                       })),
               std::runtime_error);
  // oneTBB's own library loses those that wait before the last filter.
  if (std::getenv("HEIST_WORKERS") != nullptr) {
    EXPECT_EQ(alive.load(), 0);
  }
}

}  // namespace
