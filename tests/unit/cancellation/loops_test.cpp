// Loops and algorithms that are stopped after some chunk: iterations that have begun end, each
// once, and the counts are true.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <numeric>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "heist/count.hpp"
#include "heist/find.hpp"
#include "heist/for_each.hpp"
#include "heist/parallel_for.hpp"
#include "heist/reduce.hpp"
#include "heist/transform.hpp"
#include "tests/unit/cancellation/support.hpp"

namespace heist_test {
namespace {

using visits = std::vector<std::atomic<unsigned char>>;

// Counts the visited elements, and checks that none was visited twice.
std::uint64_t visited(const visits& seen) {
  std::uint64_t n = 0;
  for (const auto& v : seen) {
    EXPECT_LE(v.load(), 1);
    n += v.load();
  }
  return n;
}

// Checks that the counts are those of `seen`, or that everything was done.
void expect_true(const std::optional<counts>& told, const visits& seen, const std::string& what) {
  const std::uint64_t n = visited(seen);
  if (told) {
    EXPECT_EQ(*told, (counts{n, seen.size()})) << what;
    EXPECT_LT(n, seen.size()) << what;
  } else {
    EXPECT_EQ(n, seen.size()) << what;
  }
}

template <class Partitioner>
void stop_a_loop_with(const char* name, Partitioner&& how) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : {1U, 7U, 20'000U}) {
      for (const long moment : moments()) {
        visits seen(n);
        const after_questions stop(moment);
        const auto told = told_by([&] {
          heist::parallel_for(
              *pool, stop, std::size_t{0}, n, [&](std::size_t i) { ++seen[i]; }, how);
        });
        expect_true(told, seen, name + std::to_string(n) + " of " + std::to_string(moment));
        if (moment == 1) {
          EXPECT_EQ(visited(seen), 0U) << name;
        }
      }
    }
  }
}

TEST(StoppedLoops, OfEveryPartitioner) {
  stop_a_loop_with("on_demand", heist::on_demand{});
  stop_a_loop_with("static_blocks", heist::static_blocks{});
  stop_a_loop_with("interleaved", heist::interleaved{10});
  stop_a_loop_with("dynamic", heist::dynamic{100});
  stop_a_loop_with("guided", heist::guided{});
  stop_a_loop_with("semi_static", heist::semi_static(2));
  stop_a_loop_with("affinity", heist::affinity());
}

TEST(StoppedLoops, OverBlocksListsAndArrays) {
  for (const auto& pool : pools()) {
    for (const long moment : moments()) {
      visits cells(90 * 110);
      const after_questions a(moment);
      expect_true(told_by([&] {
                    heist::parallel_for(
                        *pool, a, heist::block<2>{{0, 0}, {90, 110}},
                        [&](std::size_t y, std::size_t x) { ++cells[y * 110 + x]; });
                  }),
                  cells, "block");
      visits elements(10'000);
      std::list<std::size_t> list(elements.size());
      std::iota(list.begin(), list.end(), std::size_t{0});
      const after_questions b(moment);
      expect_true(
          told_by([&] { heist::for_each(*pool, b, list, [&](std::size_t i) { ++elements[i]; }); }),
          elements, "list");
      visits array(10'000);
      const after_questions c(moment);
      expect_true(told_by([&] { heist::for_each(*pool, c, array, [](auto& v) { ++v; }); }), array,
                  "array");
    }
  }
}

TEST(StoppedLoops, TransformWritesWhatWasDone) {
  std::vector<int> from(20'000);
  std::iota(from.begin(), from.end(), 1);
  for (const auto& pool : pools()) {
    for (const long moment : moments()) {
      std::vector<int> to(from.size(), 0);
      const after_questions stop(moment);
      const auto told = told_by(
          [&] { heist::transform(*pool, stop, from, to.begin(), [](int v) { return 3 * v; }); });
      std::uint64_t written = 0;
      for (std::size_t i = 0; i < to.size(); ++i) {
        ASSERT_TRUE(to[i] == 0 || to[i] == 3 * from[i]);
        written += to[i] != 0;
      }
      EXPECT_EQ(told ? told->done : from.size(), written);
    }
  }
}

TEST(StoppedLoops, AReductionIsWholeOrThrown) {
  std::vector<double> values(50'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  const double whole = heist::reduce(values);
  const double other =
      heist::transform_reduce(values, 0.0, std::plus{}, [](double x) { return x; });
  int stopped = 0;
  for (const auto& pool : pools()) {
    for (const long moment : moments()) {
      const after_questions a(moment);
      const auto told = told_by([&] { EXPECT_EQ(heist::reduce(*pool, a, values), whole); });
      if (told) {
        EXPECT_LT(told->done, told->total);
        EXPECT_EQ(told->total, values.size());
        EXPECT_TRUE(told->done % 2048 == 0 || told->done % 2048 == values.size() % 2048);
        ++stopped;
      }
      const after_questions b(moment);
      std::atomic<std::uint64_t> called{0};
      const auto told_too = told_by([&] {
        EXPECT_EQ(heist::transform_reduce(*pool, b, values, 0.0, std::plus{},
                                          [&](double x) {
                                            ++called;
                                            return x;
                                          }),
                  other);
      });
      EXPECT_EQ(told_too ? told_too->done : values.size(), called.load());
      const after_questions c(moment);
      const auto told_count = told_by([&] { EXPECT_EQ(heist::count(*pool, c, values, 0.5), 1); });
      EXPECT_TRUE(!told_count || told_count->done < values.size());
    }
  }
  EXPECT_GT(stopped, 0);
}

// If a result is returned, it is the right one, whenever the algorithm was stopped.
TEST(StoppedLoops, ASearchAnswersRightOrIsThrown) {
  std::vector<int> values(30'000, 0);
  values[20'000] = values[25'000] = 1;
  const auto is_one = [](int v) { return v == 1; };
  for (const auto& pool : pools()) {
    int thrown = 0;
    for (const long moment : moments()) {
      const auto run = [&](auto&& search) {
        const after_questions stop(moment);
        const auto told = told_by([&] { search(stop); });
        if (told) {
          ++thrown;
          EXPECT_LT(told->done, values.size());
        }
      };
      run([&](const auto& s) {
        EXPECT_EQ(heist::find(*pool, s, values, 1) - values.begin(), 20'000);
      });
      run([&](const auto& s) { EXPECT_EQ(*heist::find_any(*pool, s, values, is_one), 1); });
      run([&](const auto& s) { EXPECT_TRUE(heist::any_of(*pool, s, values, is_one)); });
      run([&](const auto& s) { EXPECT_FALSE(heist::none_of(*pool, s, values, is_one)); });
      run([&](const auto& s) {
        EXPECT_FALSE(heist::all_of(*pool, s, values, [](int v) { return v == 0; }));
      });
      run([&](const auto& s) { EXPECT_EQ(heist::find(*pool, s, values, 2), values.end()); });
    }
    EXPECT_GT(thrown, 0);
  }
}

TEST(StoppedLoops, FromAnotherThread) {
  for (const auto& pool : pools()) {
    std::stop_source source;
    std::atomic<std::uint64_t> ran{0};
    std::thread button;
    const auto told = told_by([&] {
      heist::parallel_for(*pool, source.get_token(), 0L, 1L << 50, [&](long) {
        if (ran++ == 1000) button = std::thread([&] { source.request_stop(); });
      });
    });
    button.join();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->done, ran.load());
    EXPECT_EQ(told->total, 1UL << 50);
  }
}

TEST(StoppedLoops, ADeadlineEndsWhatTakesForEver) {
  const auto told = told_by([] {
    heist::parallel_for(heist::deadline(std::chrono::milliseconds(5)), 0L, 1L << 60, [](long) {});
  });
  ASSERT_TRUE(told);
  EXPECT_LT(told->done, told->total);  // 0 if this thread got no processor for 5 ms
  EXPECT_EQ(told->total, std::size_t{1} << 60);
  const heist::deadline never(std::chrono::hours::max());
  EXPECT_FALSE(never.stop_requested());
  heist::parallel_for(never, 0, 100, [](int) {});
  EXPECT_TRUE(heist::deadline(std::chrono::seconds(-1)).stop_requested());
}

TEST(StoppedLoops, EitherOfTwoConditions) {
  const after_questions a(1L << 40);
  const after_questions b(3);
  EXPECT_TRUE(told_by([&] { heist::parallel_for(heist::either(a, b), 0, 100'000, [](int) {}); }));
}

struct backwards {
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned) const {
    for (std::size_t i = n; i-- > 0;) work(i, i + 1);
  }
};

TEST(StoppedLoops, OnesOwnPartitionerToo) {
  visits seen(100);
  const after_questions stop(31);
  const auto told = told_by([&] {
    heist::parallel_for(
        stop, std::size_t{0}, seen.size(), [&](std::size_t i) { ++seen[i]; }, backwards{});
  });
  EXPECT_EQ(told, (counts{30, 100}));
  expect_true(told, seen, "backwards");
}

// ---- an exception cancels the iterations to its right

// Counts iterations to the right that begin long after the exception: with two or more workers half
// of the loop is on another one.
TEST(ThrowingLoops, WhatIsToTheRightEndsSoon) {
  for (const auto& pool : pools()) {
    std::atomic<std::uint64_t> ran{0};
    const long n = 1L << 50;
    EXPECT_THROW(heist::parallel_for(*pool, 0L, n,
                                     [&](long i) {
                                       ++ran;
                                       if (i == 100) throw injected_fault{};
                                     }),
                 injected_fault);
    EXPECT_LT(ran.load(), 1UL << 49);
    EXPECT_THROW(heist::parallel_for(*pool, heist::block<2>{{0, 0}, {1U << 20, 1U << 30}},
                                     [&](std::size_t, std::size_t x) {
                                       if (x == 3) throw injected_fault{};
                                     }),
                 injected_fault);
  }
}

// The exception of a serial run arrives: all iterations to the left of the one that threw have run.
template <class Partitioner>
void expect_leftmost(const char* name, Partitioner&& how) {
  for (const auto& pool : pools()) {
    for (int round = 0; round < scaled(20); ++round) {
      const int first = 13 + 57 * round;
      int caught = -1;
      try {
        heist::parallel_for(
            *pool, 0, 3000,
            [&](int i) {
              if (i == first || (i > first && i % 3 == 0)) throw i;
            },
            how);
      } catch (int i) {
        caught = i;
      }
      EXPECT_EQ(caught, first) << name << " with " << pool->workers();
    }
  }
}

TEST(ThrowingLoops, TheLeftmostOfASerialRunArrives) {
  expect_leftmost("on_demand", heist::on_demand{});
  expect_leftmost("static_blocks", heist::static_blocks{});
  expect_leftmost("interleaved", heist::interleaved{3});
  expect_leftmost("dynamic", heist::dynamic{5});
  expect_leftmost("guided", heist::guided{});
  expect_leftmost("semi_static", heist::semi_static());
  expect_leftmost("affinity", heist::affinity());
}

TEST(ThrowingLoops, AnExceptionGoesBeforeAStop) {
  for (const auto& pool : pools()) {
    std::stop_source source;
    EXPECT_THROW(heist::parallel_for(*pool, source.get_token(), 0, 100'000,
                                     [&](int i) {
                                       if (i != 0) return;
                                       source.request_stop();
                                       throw injected_fault{};
                                     }),
                 injected_fault);
  }
}

}  // namespace
}  // namespace heist_test
