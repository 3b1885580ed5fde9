// Sorts numbers with the library for vectors (heist/detail/parallel/key_sort.hpp), where the system
// has it, and compares them with what std::sort makes of them.
#include "heist/detail/parallel/key_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "heist/sort.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

bool is_loaded() {
  return heist::detail::vectorised_sort(heist::detail::key_kind::u32, false, 1) != nullptr;
}

// The library is loaded beside the sort that asks for it.
bool load() {
  std::mt19937 random(1);
  std::vector<std::uint32_t> many(std::size_t{1} << 18);
  for (auto& each : many) each = static_cast<std::uint32_t>(random());
  heist::sort(many);
  EXPECT_TRUE(std::is_sorted(many.begin(), many.end()));
  for (int i = 0; i < 100 && !is_loaded(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return is_loaded();
}

template <class T>
class KeySort : public testing::Test {};
using keys = testing::Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                            std::int64_t, long long, wchar_t, float, double>;
class key_names {
 public:
  template <class T>
  static std::string GetName(int i) {
    return std::string(std::is_floating_point_v<T> ? "f"
                       : std::is_signed_v<T>       ? "i"
                                                   : "u") +
           std::to_string(8 * sizeof(T)) + "_" + std::to_string(i);
  }
};
TYPED_TEST_SUITE(KeySort, keys, key_names);

template <class T>
std::vector<T> random_keys(std::size_t n, std::uint64_t different, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> v(n);
  for (T& each : v) {
    const std::uint64_t r = different == 0 ? random() : random() % different;
    if constexpr (std::is_floating_point_v<T>)
      each = static_cast<T>(static_cast<std::int64_t>(r)) / 8;
    else
      each = static_cast<T>(r);
  }
  return v;
}

template <class T, class Less>
void expect_sorted(heist::pool& pool, std::vector<T> v, Less less) {
  std::vector<T> expected = v;
  std::sort(expected.begin(), expected.end(), less);
  heist::sort(pool, v, less);
  EXPECT_EQ(v, expected) << v.size() << " keys";
}

TYPED_TEST(KeySort, AsStd) {
  if (!load()) GTEST_SKIP() << "libhwy_contrib.so.1 isn't installed";
  using T = TypeParam;
  // The sanitizers' std::sort is slow: a size that is cut is enough.
  const bool is_instrumented = scaled(1000) != 1000;
  const auto sizes = is_instrumented ? std::vector<std::size_t>{1000, 40'000}
                                     : std::vector<std::size_t>{256, 1000, 40'000, 200'000};
  for (const unsigned workers : {1U, 3U, 8U}) {
    if (is_instrumented && workers != 3) continue;
    heist::pool pool({.workers = workers});
    for (const std::size_t n : sizes)
      for (const std::uint64_t different : {0U, 2U, 1000U}) {
        const auto v = random_keys<T>(n, different, n + different);
        expect_sorted(pool, v, std::less<>{});
        expect_sorted(pool, v, std::ranges::greater{});
      }
    // Few are on one side of most samples' medians, or all that differ.
    auto v = random_keys<T>(sizes.back(), 0, 7);
    std::fill(v.begin() + 1000, v.end(), std::numeric_limits<T>::max());
    expect_sorted(pool, v, std::less<>{});
    std::fill(v.begin() + 1000, v.end(), std::numeric_limits<T>::lowest());
    expect_sorted(pool, v, std::ranges::greater{});
  }
}

// Each spelling of an order is one sort more to compile, so the others are for one type.
TEST(KeySortOrders, MayBeSpelledForTheirType) {
  if (!load()) GTEST_SKIP() << "libhwy_contrib.so.1 isn't installed";
  heist::pool pool({.workers = 3});
  const auto v = random_keys<std::uint32_t>(40'000, 0, 3);
  expect_sorted(pool, v, std::less<std::uint32_t>{});
  expect_sorted(pool, v, std::greater<std::uint32_t>{});
}

// It is read when so many keys have been sorted that the library pays.
TEST(KeySortDeathTest, ABadSettingIsRefused) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // begins the program anew
  EXPECT_EXIT(
      {
        ::setenv("HEIST_SCALAR_SORT", "fast", 1);
        try {
          load();
        } catch (const heist::usage_error& e) {
          std::fputs(e.what(), stderr);
          std::exit(2);
        }
      },
      testing::ExitedWithCode(2), "HEIST_SCALAR_SORT=fast: must be 0 or 1");
  EXPECT_EXIT(
      {
        ::setenv("HEIST_SCALAR_SORT", "1", 1);
        std::exit(load() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

// On the least stacks the library isn't used, on larger ones it is.
TEST(KeySortStacks, AreEnough) {
  if (!load()) GTEST_SKIP() << "libhwy_contrib.so.1 isn't installed";
  constexpr std::size_t least = heist::pool_config::min_stack_size;
  for (const unsigned workers : {2U, 32U})
    for (const std::size_t size : {least, 4 * least}) {
      heist::pool pool({.workers = workers, .stack_size = size});
      pool.run([&] {  // under HEIST_SERIAL on the stack of this thread
        EXPECT_EQ(is_loaded(), size > least || heist::detail::current_fiber() == nullptr);
      });
      if (size == least) continue;  // too little for any sort under a sanitizer
      expect_sorted(pool, random_keys<std::uint64_t>(1'000'000, 0, 1), std::less<>{});
      expect_sorted(pool, random_keys<std::uint16_t>(1'000'000, 0, 2), std::greater<>{});
    }
}

// No element is lost, though they have no order.
TYPED_TEST(KeySort, NotANumber) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    static_cast<void>(load());
    heist::pool pool({.workers = 2});
    for (const std::size_t every : {2U, 100U, 49'999U}) {
      std::vector<T> v = random_keys<T>(50'000, 0, every);
      for (std::size_t i = 0; i < v.size(); i += every)
        v[i] = std::copysign(std::numeric_limits<T>::quiet_NaN(), i % 4 == 0 ? T{1} : T{-1});
      const auto bits_of = [](const std::vector<T>& values) {
        using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        std::vector<bits> b;
        for (const T& each : values) b.push_back(std::bit_cast<bits>(each));
        std::sort(b.begin(), b.end());
        return b;
      };
      const auto before = bits_of(v);
      heist::sort(pool, v);
      EXPECT_EQ(bits_of(v), before);
    }
  }
}

// They are equal, and a stable sort keeps their order.
TYPED_TEST(KeySort, NegativeZeros) {
  using T = TypeParam;
  if constexpr (std::is_floating_point_v<T>) {
    static_cast<void>(load());
    std::vector<T> v(10'000);
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = i % 3 == 0 ? T{-0.0} : i % 7 == 0 ? T{1} : T{0};
    std::vector<T> expected;
    for (const T wanted : {T{0}, T{1}})
      std::copy_if(v.begin(), v.end(), std::back_inserter(expected),
                   [wanted](T each) { return each == wanted; });
    heist::stable_sort(v);
    EXPECT_EQ(std::memcmp(v.data(), expected.data(), v.size() * sizeof(T)), 0);
  }
}

}  // namespace
}  // namespace heist_test
