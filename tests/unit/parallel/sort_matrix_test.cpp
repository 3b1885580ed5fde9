// Sorts elements of many types, in many orders, of many sizes, and compares them with what was put
// in; with comparisons and moves that throw, and comparisons that are no orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "heist/sort.hpp"
#include "tests/unit/parallel/fallible.hpp"

namespace heist_test {
namespace {

// Elements are compared by a key of theirs, and know where they were.
template <class Key, std::size_t Padding>
struct sized {
  Key key;
  Key origin;
  std::array<unsigned char, Padding> rest;
  friend bool operator<(const sized& a, const sized& b) { return a.key < b.key; }
};
template <class Key>
struct sized<Key, 0> {
  Key key;
  Key origin;
  friend bool operator<(const sized& a, const sized& b) { return a.key < b.key; }
};
using bytes_4 = sized<std::uint16_t, 0>;  // origins are modulo 2^16 here
using bytes_8 = sized<std::uint32_t, 0>;
using bytes_16 = sized<std::uint32_t, 8>;
using bytes_24 = sized<std::uint32_t, 16>;
using bytes_64 = sized<std::uint32_t, 56>;
using bytes_256 = sized<std::uint32_t, 248>;
static_assert(sizeof(bytes_4) == 4 && sizeof(bytes_24) == 24 && sizeof(bytes_256) == 256);

struct text {
  std::string key;
  std::uint32_t origin = 0;
  friend bool operator<(const text& a, const text& b) { return a.key < b.key; }
};
struct only_movable {
  std::unique_ptr<std::uint32_t> key;
  std::uint32_t origin = 0;
  friend bool operator<(const only_movable& a, const only_movable& b) { return *a.key < *b.key; }
};

template <class T>
T made(std::uint32_t key, std::size_t origin) {
  T t{};
  if constexpr (std::is_same_v<T, text>)
    t.key = "a key too long to lie within " + std::to_string(100'000'000 + key);
  else if constexpr (std::is_same_v<T, only_movable>)
    t.key = std::make_unique<std::uint32_t>(key);
  else
    t.key = static_cast<decltype(t.key)>(key);
  t.origin = static_cast<decltype(t.origin)>(origin);
  if constexpr (requires { t.rest; }) t.rest.fill(static_cast<unsigned char>(origin));
  return t;
}

// Is this element, found after a sort, what was put in at its origin?
template <class T>
bool is_intact(const T& t, std::uint32_t key) {
  if constexpr (requires { t.rest; }) {
    const auto mark = static_cast<unsigned char>(t.origin);
    if (std::any_of(t.rest.begin(), t.rest.end(), [=](auto each) { return each != mark; }))
      return false;
  }
  const T expected = made<T>(key, t.origin);
  return !(t < expected) && !(expected < t);
}

enum class order { random, sorted, reversed, organ_pipe, few_swaps, high_and_low, runs, zipf };
constexpr std::array all_orders = {order::random,     order::sorted,    order::reversed,
                                   order::organ_pipe, order::few_swaps, order::high_and_low,
                                   order::runs,       order::zipf};

std::vector<std::uint32_t> keys_of(std::size_t n, order o, std::size_t values,
                                   std::mt19937& random) {
  std::vector<std::uint32_t> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<std::uint32_t>(values < n ? random() % values : i % 65'536);
  const auto at = [&](std::size_t share, std::size_t of) {
    return v.begin() + static_cast<std::ptrdiff_t>(n * share / of);
  };
  if (o == order::zipf)
    for (auto& x : v)
      x = static_cast<std::uint32_t>(
          std::pow(static_cast<double>(values), static_cast<double>(random()) / 4294967296.0));
  if (o == order::random || o == order::zipf || n == 0) {
    std::shuffle(v.begin(), v.end(), random);
    return v;
  }
  std::sort(v.begin(), v.end());
  if (o == order::reversed) std::reverse(v.begin(), v.end());
  if (o == order::organ_pipe) std::reverse(at(1, 2), v.end());
  if (o == order::few_swaps)
    for (std::size_t i = 0; i < n / 100 + 1; ++i) std::swap(v[random() % n], v[random() % n]);
  if (o == order::high_and_low)  // some are far too great, some far too small, also side by side
    for (std::size_t i = 0; i < n / 40; ++i) v[random() % n] = i % 3 == 0 ? 0 : 65'535;
  if (o == order::runs) {
    std::shuffle(v.begin(), v.end(), random);
    for (std::size_t i = 0; i < 11; ++i) std::sort(at(i, 11), at(i + 1, 11));
  }
  return v;
}

// Sorts, and compares: in order, each element once and whole, and equal ones as they were.
template <class T>
void expect_sorts(heist::pool& pool, const std::vector<std::uint32_t>& keys, bool stably) {
  std::vector<T> v;
  v.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) v.push_back(made<T>(keys[i], i));
  if (stably)
    heist::stable_sort(pool, v);
  else
    heist::sort(pool, v);
  std::vector<unsigned char> seen(keys.size());
  for (std::size_t i = 0; i < v.size(); ++i) {
    ASSERT_FALSE(i > 0 && v[i] < v[i - 1]) << "at " << i;
    if constexpr (!std::is_same_v<T, bytes_4>) {
      ASSERT_LT(v[i].origin, keys.size());
      ASSERT_EQ(seen[v[i].origin]++, 0) << "twice: " << v[i].origin;
      ASSERT_TRUE(is_intact(v[i], keys[v[i].origin])) << "at " << i;
      ASSERT_FALSE(stably && i > 0 && !(v[i - 1] < v[i]) && v[i].origin < v[i - 1].origin) << i;
    }
  }
  if constexpr (std::is_same_v<T, bytes_4>) {  // each origin names several elements
    const auto sum = [](auto s, const T& e) { return s + e.key * 65'537ULL * (e.origin + 1ULL); };
    auto expected = 0ULL;
    for (std::size_t i = 0; i < keys.size(); ++i) expected = sum(expected, made<T>(keys[i], i));
    ASSERT_EQ(std::accumulate(v.begin(), v.end(), 0ULL, sum), expected);
  }
}

template <class T>
class SortOf : public testing::Test {};
#ifdef HEIST_TEST_SLOW  // all sizes
using element_types =
    testing::Types<bytes_4, bytes_8, bytes_16, bytes_24, bytes_64, bytes_256, text, only_movable>;
#else  // one for each way of sorting
using element_types = testing::Types<bytes_8, bytes_24, bytes_64, text, only_movable>;
#endif
TYPED_TEST_SUITE(SortOf, element_types);

TYPED_TEST(SortOf, AllOrdersAndValues) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  // Few enough that some are merged and, at 64 and 256 bytes, so many that others are distributed.
  for (const std::size_t n : {std::size_t{3000}, 9000 + random() % 1000}) {
    const auto root = static_cast<std::size_t>(std::sqrt(n));
    for (const order o : all_orders)
      for (const std::size_t values :
           {std::size_t{1}, std::size_t{2}, std::size_t{10}, std::size_t{100}, root, n})
        for (const std::size_t p : {n < 9000 ? 0U : 2U}) {
          SCOPED_TRACE(testing::Message() << "order " << static_cast<int>(o) << ", " << values
                                          << " values, n " << n << ", pool " << p);
          const auto keys = keys_of(n, o, values, random);
          ASSERT_NO_FATAL_FAILURE(expect_sorts<TypeParam>(*pools()[p], keys, false));
          ASSERT_NO_FATAL_FAILURE(expect_sorts<TypeParam>(*pools()[p], keys, true));
        }
  }
}

// Around each size from which on something is done in another way.
TYPED_TEST(SortOf, SizesAroundThresholds) {
  std::mt19937 random(11);
  std::vector<std::size_t> sizes(70);
  std::iota(sizes.begin(), sizes.end(), std::size_t{0});
  for (const std::size_t threshold :
       {heist::detail::fork_cutoff, std::size_t{1024}, heist::detail::distribution_cutoff,
        heist::detail::merge_cutoff, (std::size_t{1} << 19) / sizeof(TypeParam),
        heist::detail::parallel_pass})
    if (threshold < 40'000)
      for (std::size_t n = threshold - 1; n <= threshold + 1; ++n) sizes.push_back(n);
  for (const std::size_t n : sizes)
    for (const std::size_t p : {0U, 1U}) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", pool " << p);
      const auto keys = keys_of(n, order::random, n % 2 == 0 ? n : 10, random);
      ASSERT_NO_FATAL_FAILURE(expect_sorts<TypeParam>(*pools()[p], keys, n % 3 == 0));
    }
}

TYPED_TEST(SortOf, ManyElements) {
  std::mt19937 random(12);
  const std::size_t n = std::size_t{1} << (sizeof(TypeParam) > 64 ? 15 : 17);
  for (const order o : {order::random, order::zipf, order::runs, order::high_and_low}) {
    SCOPED_TRACE(testing::Message() << "order " << static_cast<int>(o));
    const auto keys = keys_of(n, o, n, random);
    ASSERT_NO_FATAL_FAILURE(expect_sorts<TypeParam>(*pools()[0], keys, true));
    ASSERT_NO_FATAL_FAILURE(expect_sorts<TypeParam>(*pools()[1], keys, false));
    ASSERT_NO_FATAL_FAILURE(expect_sorts<TypeParam>(*pools()[2], keys, false));
  }
}

TEST(SortMatrix, AMillion) {
  std::mt19937 random(13);
  const auto keys = keys_of(1'000'000, order::random, 1'000'000, random);
  expect_sorts<bytes_8>(*pools()[1], keys, true);
  expect_sorts<bytes_64>(*pools()[1], keys, false);
}

TEST(SortMatrix, DequesAndSpans) {
  std::mt19937 random(14);
  for (const std::size_t n : {100U, 5000U, 20'000U}) {
    const auto keys = keys_of(n, order::random, n, random);
    std::deque<std::uint32_t> scattered(keys.begin(), keys.end());
    heist::sort(*pools()[1], scattered);
    std::vector<std::uint32_t> side_by_side(keys);
    heist::sort(*pools()[1], std::span(side_by_side).subspan(1, n - 2));
    EXPECT_TRUE(std::is_sorted(side_by_side.begin() + 1, side_by_side.end() - 1));
    EXPECT_EQ(side_by_side.front(), keys.front());
    EXPECT_EQ(side_by_side.back(), keys.back());
    auto expected = keys;
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), scattered.begin(), scattered.end()));
  }
}

// Equal parts that are in order, begun anew where a sample with equal distances would look.
TEST(SortMatrix, MakesFewComparisonsOfAFewRuns) {
  constexpr std::size_t n = 50'000;
  for (const std::size_t runs : {2U, 3U, 16U, 32U, 63U, 64U})
    for (const std::size_t more : {0U, 1U}) {
      std::vector<std::pair<std::size_t, int>> v(n);
      for (std::size_t i = 0; i < n; ++i) v[i].first = i % (n / runs + more);
      std::size_t comparisons = 0;
      heist::sort(*pools()[0], v, [&comparisons](const auto& a, const auto& b) {
        ++comparisons;
        return a.first < b.first;
      });
      EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
      EXPECT_LE(comparisons, n * (std::bit_width(runs - 1) + 4)) << runs << " runs";
    }
}

TEST(SortMatrix, ComparesMembersAsTheLessThanSignDoes) {
  constexpr double values[] = {std::numeric_limits<double>::quiet_NaN(), -1, -0.0, 0, 1,
                               std::numeric_limits<double>::infinity()};
  std::vector<std::pair<double, int>> pairs;
  std::vector<std::tuple<int, double, float>> tuples;
  for (const double a : values)
    for (const int b : {0, 1}) {
      pairs.emplace_back(a, b);
      for (const float c : {0.5F, std::numeric_limits<float>::quiet_NaN()})
        tuples.emplace_back(b, a, c);
    }
  const auto expect_same = [](const auto& all) {
    for (const auto& x : all)
      for (const auto& y : all) {
        EXPECT_EQ(heist::detail::by_members()(x, y), x < y);
        EXPECT_EQ(heist::detail::by_members_down()(x, y), x > y);
      }
  };
  expect_same(pairs);
  expect_same(tuples);
  std::erase_if(pairs, [](const auto& p) { return p.first != p.first; });
  auto descending = pairs;
  heist::sort(*pools()[0], descending, std::greater<>());
  EXPECT_TRUE(std::is_sorted(descending.rbegin(), descending.rend()));
  heist::sort(*pools()[0], pairs);
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
}

// Whatever the comparison says, each element is there once.
template <class T>
void expect_loses_nothing() {
  std::mt19937 random(15);
  const auto orders = orders_that_are_none<T>([](const T& e) { return std::uint32_t{e.origin}; });
  for (const auto& less : orders)
    for (const std::size_t n : {27U, 100U, 2500U, 20'000U})
      for (const std::size_t p : {0U, 2U}) {
        std::vector<T> v;
        const auto keys = keys_of(n, order::random, n, random);
        for (std::size_t i = 0; i < n; ++i) v.push_back(made<T>(keys[i], i));
        heist::sort(*pools()[p], v, less);
        heist::stable_sort(*pools()[p], v, less);
        std::vector<bool> seen(n);
        for (const auto& each : v) {
          ASSERT_FALSE(seen.at(each.origin));
          seen[each.origin] = true;
          ASSERT_TRUE(is_intact(each, keys[each.origin]));
        }
      }
}

TEST(SortMatrix, OrdersThatAreNone) {
  expect_loses_nothing<bytes_8>();
  expect_loses_nothing<bytes_64>();
#ifdef HEIST_TEST_SLOW
  expect_loses_nothing<bytes_24>();
  expect_loses_nothing<text>();
#endif
}

// After an exception of a comparison the elements are valid: strings can be read, and none of them
// is owned twice.
template <class T>
void expect_survives_comparisons_that_throw(bool stably) {
  std::mt19937 random(16);
  for (const order o : {order::random, order::few_swaps, order::runs}) {
    const std::size_t n = sizeof(T) > 16 ? (std::size_t{1} << 19) / sizeof(T) + 1000 : 3000;
    const auto keys = keys_of(n, o, n, random);
    for (const std::size_t p : {0U, 1U}) {
      bool is_over = false;
      for (long at = 1; !is_over; at = at * 3 + 1) {
        failing_calls calls(at);
        std::vector<T> v;
        for (std::size_t i = 0; i < n; ++i) v.push_back(made<T>(keys[i], i));
        const auto less = [&](const T& a, const T& b) {
          calls.call();
          return a < b;
        };
        try {
          if (stably)
            heist::stable_sort(*pools()[p], v, less);
          else
            heist::sort(*pools()[p], v, less);
          is_over = true;
          EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
        } catch (long) {
          ASSERT_EQ(v.size(), n);
          for (auto& each : v) each = made<T>(1, 1);
        }
      }
    }
  }
}

TEST(SortMatrix, ComparisonsThatThrow) {
  for (const bool stably : {false, true}) {
#ifdef HEIST_TEST_SLOW
    expect_survives_comparisons_that_throw<bytes_8>(stably);
    expect_survives_comparisons_that_throw<bytes_64>(stably);
#endif
    expect_survives_comparisons_that_throw<text>(stably);
  }
}

}  // namespace
}  // namespace heist_test
