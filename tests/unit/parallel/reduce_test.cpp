// Compares reduce, transform_reduce, count, min_element and related algorithms, and the searches,
// with std's.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "heist/count.hpp"
#include "heist/find.hpp"
#include "heist/minmax_element.hpp"
#include "heist/reduce.hpp"
#include "tests/unit/parallel/fallible.hpp"

namespace heist_test {
namespace {

constexpr std::size_t sizes[] = {0, 1, 2, 3, 63, 127, 128, 129, 1000, 2047, 2049, 4999, 70'001};

std::vector<double> numbers(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> v(n);
  for (auto& x : v) x = std::ldexp(static_cast<double>(random() >> 12), -30) - 1e6;
  return v;
}

// The tree that heist/reduce.hpp promises, implemented a second time.
template <class Leaf, class Op>
auto promised_tree(std::size_t first, std::size_t last, const Leaf& leaf, const Op& op)
    -> decltype(leaf(first)) {
  if (last - first == 1) return leaf(first);
  const std::size_t middle = first + (last - first) / 2;
  return op(promised_tree(first, middle, leaf, op), promised_tree(middle, last, leaf, op));
}

template <class T, class Op>
T promised_reduce(const std::vector<T>& v, T init, const Op& op) {
  if (v.empty()) return init;
  const std::size_t each = std::clamp<std::size_t>(v.size() / 64, 1, 512);
  const auto leaf = [&](std::size_t which) {
    const std::span part = std::span(v).subspan(which * each);
    T sum = part[0];
    for (std::size_t i = 1; i < std::min(each, part.size()); ++i) sum = op(sum, part[i]);
    return sum;
  };
  return op(init, promised_tree(0, (v.size() + each - 1) / each, leaf, op));
}

template <class T, class Op>
T promised_reduce_in_lanes(const std::vector<T>& v, T init, const Op& op) {
  if (v.empty()) return init;
  constexpr std::size_t each = 2048;
  constexpr std::size_t lanes = 128 / sizeof(T);
  const auto leaf = [&](std::size_t which) {
    const std::span rest = std::span(v).subspan(which * each);
    const std::span part = rest.first(std::min(each, rest.size()));
    const std::size_t turns = part.size() / lanes;
    std::size_t i = 1;
    T sum = part[0];
    if (turns > 0) {
      std::vector<T> lane(part.begin(), part.begin() + lanes);
      for (i = lanes; i < turns * lanes; ++i) lane[i % lanes] = op(lane[i % lanes], part[i]);
      for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t k = 0; k < half; ++k) lane[k] = op(lane[k], lane[k + half]);
      sum = lane[0];
    }
    for (; i < part.size(); ++i) sum = op(sum, part[i]);
    return sum;
  };
  return op(init, promised_tree(0, (v.size() + each - 1) / each, leaf, op));
}

template <class T>
auto bits_of(T x) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>(x);
}

TEST(Reduce, FollowsThePromisedTreeToTheBit) {
  const auto plus = [](auto a, auto b) { return a + b; };
  for (const std::size_t n : sizes) {
    const auto v = numbers(n, 7);
    const std::vector<float> narrow(v.begin(), v.end());
    std::vector<double> factors(v);
    for (auto& x : factors) x = 1 + x * 1e-12;
    for (const auto& pool : pools()) {
      EXPECT_EQ(bits_of(heist::reduce(*pool, v, 0.5, plus)), bits_of(promised_reduce(v, 0.5, plus)))
          << n << " with " << pool->workers();
      EXPECT_EQ(bits_of(heist::reduce(*pool, v, 0.5)),
                bits_of(promised_reduce_in_lanes(v, 0.5, plus)))
          << n << " with " << pool->workers();
      EXPECT_EQ(bits_of(heist::reduce(*pool, narrow)),
                bits_of(promised_reduce_in_lanes(narrow, 0.0F, plus)));
      EXPECT_EQ(bits_of(heist::reduce(*pool, factors, 1.0, std::multiplies<double>())),
                bits_of(promised_reduce_in_lanes(factors, 1.0, std::multiplies<>())));
    }
  }
}

TEST(Reduce, KeepsTheOrderOfWhatDoesNotCommute) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : {0U, 1U, 2U, 100U, 1000U, 4000U}) {
      std::vector<std::string> words(n);
      for (std::size_t i = 0; i < n; ++i) words[i] = std::to_string(i) + ' ';
      EXPECT_EQ(heist::reduce(*pool, words, std::string("> ")),
                std::accumulate(words.begin(), words.end(), std::string("> ")));
    }
  }
}

TEST(Reduce, MovesWhatCannotBeCopied) {
  using box = std::unique_ptr<int>;
  const std::vector<int> ones(3000, 1);
  for (const auto& pool : pools()) {
    const box sum = heist::transform_reduce(
        *pool, ones, std::make_unique<int>(5),
        [](box a, box b) { return std::make_unique<int>(*a + *b); },
        [](int i) { return std::make_unique<int>(i); });
    EXPECT_EQ(*sum, 3005);
  }
}

TEST(Reduce, TakesWhatStdTakes) {
  const std::vector<int> v{1, 2, 3, 4};
  const std::deque<unsigned char> bytes(300, 200);
  EXPECT_EQ(heist::reduce(v), 10);
  EXPECT_EQ(heist::reduce(v.begin(), v.end(), 10), 20);
  EXPECT_EQ(heist::reduce(bytes.begin(), bytes.end(), 0), 60'000);
  EXPECT_EQ(heist::reduce(bytes), static_cast<unsigned char>(60'000));
  EXPECT_EQ(heist::transform_reduce(v, v.begin(), 1), 31);
  EXPECT_EQ(heist::transform_reduce(v.begin(), v.end(), v.rbegin(), 0L, std::plus<>(),
                                    [](int a, int b) { return a - b; }),
            0);
  EXPECT_EQ(heist::count(bytes, 200), 300);
}

TEST(Reduce, SurvivesFaultsEverywhere) {
  for (const unsigned workers : {1U, 3U}) {
    heist::pool pool({.workers = workers});
    const std::vector<fragile> v(40, 1);
    expect_survives_every_fault([&](auto arm) {
      fragile init(0);
      arm();
      const auto sum = heist::reduce(pool, v, std::move(init));
      fault_plan::disarm();
      EXPECT_EQ(sum.value(), 40);
    });
  }
}

TEST(Count, AgreesWithStd) {
  for (const std::size_t n : sizes) {
    const auto v = numbers(n, 11);
    const auto positive = [](double x) { return x > 1e6; };
    for (const auto& pool : pools())
      EXPECT_EQ(heist::count_if(*pool, v, positive), std::count_if(v.begin(), v.end(), positive));
  }
}

TEST(MinMaxElement, AgreeWithStdOnWhichOfEqualOnes) {
  std::mt19937 random(13);
  for (const std::size_t n : sizes) {
    std::vector<int> v(n);
    for (const int distinct : {1, 3, 1'000'000}) {
      for (auto& x : v) x = static_cast<int>(random() % static_cast<unsigned>(distinct));
      for (const auto& pool : pools()) {
        EXPECT_EQ(heist::min_element(*pool, v), std::min_element(v.begin(), v.end()));
        EXPECT_EQ(heist::max_element(*pool, v), std::max_element(v.begin(), v.end()));
        EXPECT_EQ(heist::minmax_element(*pool, v), std::minmax_element(v.begin(), v.end()));
        EXPECT_EQ(heist::min_element(*pool, v, std::greater<>()),
                  std::min_element(v.begin(), v.end(), std::greater<>()));
      }
    }
  }
}

TEST(MinMaxElement, NameAnElementUnderAnOrderThatIsNone) {
  const auto orders =
      orders_that_are_none<int>([](int i) { return static_cast<std::uint32_t>(i); });
  for (const std::size_t n : {1U, 2U, 33U, 700U, 9000U}) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), 0);
    const auto is_there = [&](auto found) { return found >= v.begin() && found < v.end(); };
    for (const auto& pool : pools()) {
      for (const auto& order : orders) {
        EXPECT_TRUE(is_there(heist::min_element(*pool, v, order))) << n;
        EXPECT_TRUE(is_there(heist::max_element(*pool, v, order))) << n;
        const auto both = heist::minmax_element(*pool, v, order);
        EXPECT_TRUE(is_there(both.first) && is_there(both.second)) << n;
      }
    }
  }
}

TEST(Find, AgreesWithStd) {
  for (const auto& pool : pools()) {
    for (const std::size_t n : sizes) {
      std::vector<std::size_t> v(n);
      std::iota(v.begin(), v.end(), 0U);
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1, n, n + 5}) {
        const auto expected = std::find(v.begin(), v.end(), at);
        EXPECT_EQ(heist::find(*pool, v, at), expected) << n << ' ' << at;
        EXPECT_EQ(heist::find_if(*pool, v, [&](auto i) { return i >= at; }),
                  at < n ? expected : v.end());
        const auto any = heist::find_any(*pool, v, [&](auto i) { return i >= at; });
        EXPECT_EQ(any == v.end(), at >= n);
        EXPECT_TRUE(any == v.end() || *any >= at);
        const auto is_it = [&](auto i) { return i == at; };
        const auto is_not = [&](auto i) { return i != at; };
        EXPECT_EQ(heist::any_of(*pool, v, is_it), at < n);
        EXPECT_EQ(heist::none_of(*pool, v, is_it), at >= n);
        EXPECT_EQ(heist::all_of(*pool, v, is_not), at >= n);
      }
    }
  }
}

TEST(Find, LooksAtNoElementTwiceAndStopsEarly) {
  std::vector<char> v(1'000'000, 0);
  v[10] = 1;
  for (const auto& pool : pools()) {
    std::vector<std::atomic<unsigned char>> seen(v.size());
    heist::find_if(*pool, v, [&](const char& c) {
      seen[static_cast<std::size_t>(&c - v.data())].fetch_add(1);
      return c == 1;
    });
    std::size_t looks = 0;
    for (const auto& s : seen) {
      EXPECT_LE(s.load(), 1);
      looks += s.load();
    }
    if (pool->workers() == 1 || is_serial()) {
      EXPECT_EQ(looks, 11U);
    }
  }
}

}  // namespace
}  // namespace heist_test
