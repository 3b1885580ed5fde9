// If an iterator throws at some operation, an algorithm throws only this exception, and nothing
// leaks.
#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

#include "heist/count.hpp"
#include "heist/find.hpp"
#include "heist/for_each.hpp"
#include "heist/histogram.hpp"
#include "heist/merge.hpp"
#include "heist/minmax_element.hpp"
#include "heist/parallel_for.hpp"
#include "heist/partition.hpp"
#include "heist/reduce.hpp"
#include "heist/scan.hpp"
#include "heist/sort.hpp"
#include "heist/transform.hpp"
#include "tests/unit/parallel/fallible.hpp"
#include "tests/unit/parallel/numbers.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

static_assert(std::random_access_iterator<fallible_iterator<tracked>>);
static_assert(!std::contiguous_iterator<fallible_iterator<tracked>>);
using forward_walker = fallible_iterator<tracked, std::forward_iterator_tag>;
static_assert(std::forward_iterator<forward_walker> &&
              !std::bidirectional_iterator<forward_walker>);

using walker = fallible_iterator<tracked>;

class walked {
 public:
  explicit walked(std::size_t n) : elements(n) { reset(); }
  void reset() {
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = value(i);
  }
  static int value(std::size_t i) { return static_cast<int>(i * 7 % 31); }

  walker begin() { return walker(elements.data()); }
  walker end() { return walker(elements.data() + elements.size()); }

  std::vector<tracked> elements;
};

// Calls run(pool) with a fault at every step-th operation of the iterators in turn.
template <class Prepare, class Run>
void expect_survives(const Prepare& prepare, const Run& run, long step = 1) {
  const long alive = counted::alive;
  for (const unsigned workers : {1U, 3U}) {
    heist::pool pool({.workers = workers});
    expect_survives_every_fault(
        [&](auto arm) {
          prepare();
          arm();
          run(pool);
        },
        20'000, step);
    EXPECT_EQ(counted::alive, alive) << "with " << workers;
  }
}
template <class Run>
void expect_survives(const Run& run) {
  expect_survives([] {}, run);
}

constexpr std::size_t few = 40;

TEST(ThrowingIterators, InLoops) {
  walked from(few);
  std::atomic<int> sum{0};
  const auto add = [&](const tracked& t) { sum += t.value; };
  expect_survives([&](heist::pool& pool) { heist::for_each(pool, from.begin(), from.end(), add); });
  expect_survives([&](heist::pool& pool) {
    heist::for_each(pool, forward_walker(from.elements.data()),
                    forward_walker(from.elements.data() + few), add);
  });
  expect_survives([&](heist::pool& pool) {
    heist::for_each(pool, from.begin(), from.end(), add, heist::dynamic{3});
  });
  expect_survives([&](heist::pool& pool) { heist::parallel_for(pool, from, add); });
}

TEST(ThrowingIterators, InWhatWritesEachElement) {
  walked from(few);
  walked to(few);
  const auto twice = [](const tracked& t) { return t + t; };
  expect_survives([&](heist::pool& pool) {
    heist::transform(pool, from.begin(), from.end(), to.begin(), twice);
  });
  EXPECT_EQ(to.elements[1], 14);
  expect_survives([&](heist::pool& pool) {
    heist::transform(pool, from.begin(), from.end(), from.begin(), to.begin(), std::plus<>{});
  });
  expect_survives(
      [&](heist::pool& pool) { heist::copy(pool, from.begin(), from.end(), to.begin()); });
  EXPECT_EQ(to.elements, from.elements);
  expect_survives([&](heist::pool& pool) { heist::fill(pool, to.begin(), to.end(), tracked(3)); });
  expect_survives([&](heist::pool& pool) {
    heist::generate(pool, to.begin(), to.end(), [] { return tracked(5); });
  });
  EXPECT_EQ(to.elements, std::vector<tracked>(few, 5));
}

TEST(ThrowingIterators, InWhatReadsEachElement) {
  walked v(few);
  const auto is_odd = [](const tracked& t) { return t.value % 2 != 0; };
  const auto never = [](const tracked& t) { return t.value < 0; };
  expect_survives([&](heist::pool& pool) { heist::reduce(pool, v.begin(), v.end(), tracked(0)); });
  expect_survives([&](heist::pool& pool) {
    heist::transform_reduce(pool, v.begin(), v.end(), 0, std::plus<>{},
                            [](const tracked& t) { return t.value; });
  });
  expect_survives([&](heist::pool& pool) {
    heist::transform_reduce(pool, v.begin(), v.end(), v.begin(), tracked(0), std::plus<>{},
                            std::plus<>{});
  });
  expect_survives([&](heist::pool& pool) { heist::count(pool, v.begin(), v.end(), 3); });
  expect_survives([&](heist::pool& pool) { heist::count_if(pool, v.begin(), v.end(), is_odd); });
  expect_survives([&](heist::pool& pool) { heist::find(pool, v.begin(), v.end(), tracked(-1)); });
  expect_survives([&](heist::pool& pool) { heist::find_if(pool, v.begin(), v.end(), never); });
  expect_survives([&](heist::pool& pool) { heist::find_any(pool, v.begin(), v.end(), never); });
  expect_survives([&](heist::pool& pool) { heist::any_of(pool, v.begin(), v.end(), never); });
  expect_survives([&](heist::pool& pool) { heist::none_of(pool, v.begin(), v.end(), never); });
  expect_survives([&](heist::pool& pool) {
    heist::all_of(pool, v.begin(), v.end(), [](const tracked& t) { return t.value >= 0; });
  });
  expect_survives([&](heist::pool& pool) { heist::min_element(pool, v.begin(), v.end()); });
  expect_survives([&](heist::pool& pool) { heist::max_element(pool, v.begin(), v.end()); });
  expect_survives([&](heist::pool& pool) { heist::minmax_element(pool, v.begin(), v.end()); });
  expect_survives([&](heist::pool& pool) {
    heist::histogram(pool, v.begin(), v.end(), 31, [](const tracked& t) { return t.value; });
  });
}

TEST(ThrowingIterators, InScans) {
  walked from(few);
  walked to(few);
  expect_survives([&](heist::pool& pool) {
    heist::inclusive_scan(pool, from.begin(), from.end(), to.begin());
  });
  expect_survives([&](heist::pool& pool) {
    heist::exclusive_scan(pool, from.begin(), from.end(), to.begin(), tracked(1));
  });
  EXPECT_EQ(to.elements[2], 1 + 0 + 7);
}

TEST(ThrowingIterators, InSelections) {
  walked v(few);
  walked to(few);
  const auto is_odd = [](const tracked& t) { return t.value % 2 != 0; };
  expect_survives(
      [&](heist::pool& pool) { heist::copy_if(pool, v.begin(), v.end(), to.begin(), is_odd); });
  EXPECT_EQ(to.elements[0], 7);
  expect_survives([&] { v.reset(); },
                  [&](heist::pool& pool) { heist::partition(pool, v.begin(), v.end(), is_odd); });
  EXPECT_TRUE(std::is_partitioned(v.elements.begin(), v.elements.end(), is_odd));
}

TEST(ThrowingIterators, InSortsAndMerges) {
  for (const std::size_t n : {std::size_t{20}, few, std::size_t{1500}}) {
    walked v(n);
    expect_survives([&] { v.reset(); },
                    [&](heist::pool& pool) { heist::sort(pool, v.begin(), v.end()); },
                    n > few ? 997 : 3);
    EXPECT_TRUE(std::is_sorted(v.elements.begin(), v.elements.end()));
  }
  for (const std::size_t n : {few, std::size_t{5000}}) {  // one worker merges; several do
    walked a(n);
    walked b(n / 2);
    std::sort(a.elements.begin(), a.elements.end());
    std::sort(b.elements.begin(), b.elements.end());
    walked out(n + n / 2);
    expect_survives([] {},
                    [&](heist::pool& pool) {
                      heist::merge(pool, a.begin(), a.end(), b.begin(), b.end(), out.begin());
                    },
                    n > few ? 997 : 1);
    EXPECT_TRUE(std::is_sorted(out.elements.begin(), out.elements.end()));
  }
}

// ----
// Ranges whose difference type is wider than 64 bits, such as std::views::iota over long: either
// the whole range runs, or nothing does and an exception says why.

using wide = __int128;
constexpr wide two_to_the_64 = wide{1} << 64;

template <class F>
void expect_too_many(const char* what, F&& f) {
  try {
    f();
    ADD_FAILURE() << what << " took a part for the whole";
  } catch (const heist::usage_error& refused) {
    EXPECT_NE(std::string(refused.what()).find("2^64"), std::string::npos) << refused.what();
  }
}

TEST(WideRanges, WithMoreElementsThanCanBeCountedAreRefused) {
  std::atomic<int> ran{0};
  const auto count = [&](wide) { ++ran; };
  const std::vector<wide> empty;
  const auto none = [&](wide) {
    ++ran;
    return false;
  };
  for (const wide n : {two_to_the_64, two_to_the_64 + 5, (wide{1} << 65) + 5}) {
    const numbers<wide, wide> all(-3, n - 3);
    static_assert(std::ranges::random_access_range<decltype(all)>);
    expect_too_many("parallel_for", [&] { heist::parallel_for(all, count); });
    expect_too_many("for_each", [&] { heist::for_each(all, count); });
    expect_too_many("for_each of iterators",
                    [&] { heist::for_each(all.begin(), all.end(), count); });
    expect_too_many("reduce", [&] { heist::reduce(all, wide{0}, std::bit_xor<>()); });
    expect_too_many("count_if", [&] { heist::count_if(all, none); });
    expect_too_many("find_if", [&] { heist::find_if(all, none); });
    expect_too_many("any_of", [&] { heist::any_of(all, none); });
    expect_too_many("min_element", [&] { heist::min_element(all); });
    expect_too_many("histogram", [&] { heist::histogram(all, 1, [](wide) { return 0; }); });
    std::vector<wide> out(8);
    expect_too_many("copy", [&] { heist::copy(all, out.begin()); });
    expect_too_many("copy_if", [&] { heist::copy_if(all, out.begin(), none); });
    expect_too_many("inclusive_scan", [&] { heist::inclusive_scan(all, out.begin()); });
    expect_too_many("merge", [&] { heist::merge(all, empty, out.begin()); });
  }
  EXPECT_EQ(ran, 0);
}

TEST(WideRanges, OfWideElementsAreRunWhole) {
  const wide first = wide{1} << 100;
  const numbers<wide, wide> all(first, first + 10'000);
  for (const auto& pool : pools()) {
    std::vector<std::atomic<int>> seen(10'000);
    heist::parallel_for(*pool, all, [&](wide i) { ++seen[static_cast<std::size_t>(i - first)]; });
    heist::for_each(*pool, all, [&](wide i) { ++seen[static_cast<std::size_t>(i - first)]; });
    for (const auto& s : seen) ASSERT_EQ(s, 2);
    EXPECT_EQ(heist::reduce(*pool, all, wide{0}), 10'000 * first + 9999 * 5000);
    EXPECT_EQ(*heist::find(*pool, all, first + 7777), first + 7777);
    EXPECT_EQ(heist::count_if(*pool, all, [](wide i) { return i % 2 == 0; }), 5000);
    EXPECT_EQ(heist::max_element(*pool, all) - all.begin(), 9999);
  }
}

// For the longest possible range, the reported counts are exact to the last element.
TEST(WideRanges, OfAllLongIntegersAreCountedRight) {
  const numbers<long, wide> all(LONG_MIN, LONG_MAX);
  for (const auto& pool : pools()) {
    std::stop_source source;
    std::atomic<std::uint64_t> ran{0};
    try {
      heist::parallel_for(*pool, source.get_token(), all, [&](long) {
        if (++ran == 1000) source.request_stop();
      });
      ADD_FAILURE() << "nobody can run them all";
    } catch (const heist::cancelled& stopped) {
      EXPECT_EQ(stopped.done(), ran.load());
      EXPECT_EQ(stopped.total(), SIZE_MAX);
    }
    EXPECT_EQ(*heist::find_if(*pool, all, [](long i) { return i > LONG_MIN + 500'000; }),
              LONG_MIN + 500'001);
  }
}

}  // namespace
}  // namespace heist_test
