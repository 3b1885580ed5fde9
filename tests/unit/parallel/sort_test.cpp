// Compares sort, stable_sort and merge with std's, also on hostile inputs, and with operations that
// throw.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "heist/merge.hpp"
#include "heist/sort.hpp"
#include "tests/unit/parallel/fallible.hpp"

// Large allocations are refused on demand, from a certain one on. The sanitizers replace these
// functions themselves.
#if !defined(HEIST_TEST_ASAN) && !defined(HEIST_TEST_TSAN)
namespace {
constexpr std::size_t large = 4096;
std::atomic<long> large_ones_left{-1};  // before one is refused; -1: none is
std::atomic<bool> has_refused{false};

void* memory_or_nothing(std::size_t size, std::size_t alignment) {
  if (size >= large && large_ones_left.load() >= 0) {
    if (large_ones_left.load() == 0) {
      has_refused = true;
      return nullptr;
    }
    --large_ones_left;
  }
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
}  // namespace
// These are not inlined, because g++ warns of free() if it sees that the memory came from new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const p = memory_or_nothing(size == 0 ? 1 : size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  void* const p = memory_or_nothing(size, static_cast<std::size_t>(alignment));
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}
#endif

namespace heist_test {
namespace {

// Elements are compared by key only, so that a sort that is not stable is detected.
struct light {
  std::int32_t key;
  std::uint32_t origin;
  friend bool operator<(const light& a, const light& b) { return a.key < b.key; }
  friend bool operator==(const light&, const light&) = default;
};
static_assert(heist::detail::is_light<light>);

struct heavy {
  std::string key;
  std::uint32_t origin;
  friend bool operator<(const heavy& a, const heavy& b) { return a.key < b.key; }
  friend bool operator==(const heavy&, const heavy&) = default;
};

light make(light*, int key, std::uint32_t origin) { return {key, origin}; }
heavy make(heavy*, int key, std::uint32_t origin) { return {std::to_string(key), origin}; }

std::vector<int> pattern(std::size_t n, int kind, std::mt19937& random) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  const auto some = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  switch (kind) {
    case 0:  // random
      for (auto& x : v) x = some(1 << 30);
      break;
    case 1:  // few values
      for (auto& x : v) x = some(3);
      break;
    case 2:  // all equal
      std::fill(v.begin(), v.end(), 5);
      break;
    case 3:  // in order
      break;
    case 4:  // in the opposite order
      std::reverse(v.begin(), v.end());
      break;
    case 5:  // organ pipe
      for (std::size_t i = n / 2; i < n; ++i) v[i] = static_cast<int>(n - i);
      break;
    case 6:  // in order except for a few
      for (std::size_t i = 0; i < n / 100 + 1 && n > 0; ++i) v[random() % n] = some(1 << 20);
      break;
    case 7:  // in order, and then descending by steps of two
      for (std::size_t i = n / 2; i < n; ++i) v[i] = static_cast<int>((n - i) / 2);
      break;
    case 8:  // two alternating values
      for (std::size_t i = 0; i < n; i += 2) v[i] = -v[i];
      break;
    default:  // in order except for the last one
      if (n > 0) v[n - 1] = -1;
  }
  return v;
}
constexpr int patterns = 10;

template <class T>
std::vector<T> elements(const std::vector<int>& keys) {
  std::vector<T> v;
  for (std::size_t i = 0; i < keys.size(); ++i)
    v.push_back(make(static_cast<T*>(nullptr), keys[i], static_cast<std::uint32_t>(i)));
  return v;
}

// This does not use std::stable_sort, because clang 19 warns of a deprecated function in that of
// g++ 12.
template <class T>
void sort_stably(std::vector<T>& v) {
  std::sort(v.begin(), v.end(),
            [](const T& a, const T& b) { return a < b || (!(b < a) && a.origin < b.origin); });
}

template <class T>
void expect_sorts_like_std() {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int kind = 0; kind < patterns; ++kind) {
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{31},
                          std::size_t{32}, std::size_t{33}, std::size_t{64}, std::size_t{1000},
                          std::size_t{random() % 5000}, std::size_t{40'000}}) {
      const auto input = elements<T>(pattern(n, kind, random));
      auto expected = input;
      sort_stably(expected);
      for (const auto& pool : pools()) {
        auto found = input;
        heist::stable_sort(*pool, found);
        ASSERT_EQ(found, expected) << "pattern " << kind << ", n " << n;
      }
    }
  }
}

TEST(Sort, AgreesWithStdStably) { expect_sorts_like_std<light>(); }
TEST(Sort, AgreesWithStdStablyForWhatIsMoved) { expect_sorts_like_std<heavy>(); }

// Pairs and tuples of light members are light, unless they assign to what they refer to.
static_assert(heist::detail::is_light<std::pair<int, double>>);
static_assert(heist::detail::is_light<std::tuple<int, std::pair<short, char>, double>>);
static_assert(!heist::detail::is_light<std::pair<int, std::string>>);
static_assert(!heist::detail::is_light<std::tuple<int&>>);
static_assert(!heist::detail::is_light<std::pair<const int, int>>);
static_assert(!heist::detail::is_light<std::tuple<double, double, double, double, char>>);

template <class T, class Make>
void expect_sorts_stably(Make make) {
  std::minstd_rand random(5);
  for (const std::size_t n : {100U, 5'000U, 100'000U})
    for (const int input : {0, 1, 2, 3}) {
      std::vector<T> v;
      for (std::size_t i = 0; i < n; ++i) {
        const auto k =
            static_cast<int>(input == 0                   ? random() % 1000
                             : input == 1                 ? std::min(i, n - i)
                             : input == 2 && i % 100 == 0 ? random() % n
                                                          : (input == 3 ? (i + n / 3) % n : i));
        v.push_back(make(k, static_cast<int>(i)));
      }
      // The second member says where an element was: this is the stable order by the first.
      std::vector<T> expected = v;
      std::sort(expected.begin(), expected.end());
      for (const auto& pool : pools()) {
        std::vector<T> found = v;
        heist::stable_sort(*pool, found,
                           [](const T& x, const T& y) { return std::get<0>(x) < std::get<0>(y); });
        ASSERT_EQ(found, expected) << n << " of input " << input;
        found = v;
        heist::sort(*pool, found);
        ASSERT_EQ(found, expected) << n << " of input " << input;
      }
    }
}

TEST(Sort, PairsAndTuplesAreSortedAsTheirMembersWouldBe) {
  expect_sorts_stably<std::pair<int, int>>([](int k, int i) { return std::pair(k, i); });
  expect_sorts_stably<std::tuple<short, int, double>>(
      [](int k, int i) { return std::tuple(static_cast<short>(k % 20'000), i, 0.5 * i); });
}

TEST(Sort, TakesIteratorsOrdersAndOtherContainers) {
  std::mt19937 random(3);
  for (const auto& pool : pools()) {
    const auto input = pattern(3000, 0, random);
    std::vector<double> numbers(input.begin(), input.end());
    heist::sort(*pool, numbers.begin() + 10, numbers.end() - 10, std::greater<>());
    EXPECT_TRUE(std::is_sorted(numbers.begin() + 10, numbers.end() - 10, std::greater<>()));
    EXPECT_EQ(numbers.front(), input.front());
    std::deque<int> scattered(input.begin(), input.end());
    heist::sort(*pool, scattered);
    EXPECT_TRUE(std::is_sorted(scattered.begin(), scattered.end()));
    std::vector<bool> bits(2000);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = input[i] % 2 == 0;
    const auto set = std::count(bits.begin(), bits.end(), true);
    heist::sort(*pools()[0], bits);
    EXPECT_TRUE(std::is_sorted(bits.begin(), bits.end()));
    EXPECT_EQ(std::count(bits.begin(), bits.end(), true), set);
  }
}

TEST(Sort, MovesWhatCannotBeCopied) {
  std::mt19937 random(4);
  for (const auto& pool : pools()) {
    std::vector<std::unique_ptr<int>> v;
    for (const int key : pattern(5000, 0, random)) v.push_back(std::make_unique<int>(key));
    const auto less = [](const auto& a, const auto& b) { return *a < *b; };
    heist::sort(*pool, v, less);
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), less));
  }
}

// Decides the elements' values only when they are compared, and always so that the comparison
// reveals little (McIlroy, A killer adversary for quicksort, 1999).
TEST(Sort, MakesFewComparisonsWhateverTheInput) {
  constexpr std::size_t n = 20'000;
  std::vector<std::size_t> value(n, n);  // n: not decided yet
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::size_t decided = 0;
  std::size_t candidate = 0;
  std::size_t comparisons = 0;
  heist::sort(*pools()[0], order, [&](std::size_t a, std::size_t b) {
    ++comparisons;
    if (value[a] == n && value[b] == n) value[a == candidate ? a : b] = decided++;
    if (value[a] == n)
      candidate = a;
    else if (value[b] == n)
      candidate = b;
    return value[a] < value[b];
  });
  EXPECT_LE(comparisons, n * std::bit_width(n));
}

template <class T>
bool is_from_further_left(const T& a, const T& b) {
  return a.origin < b.origin;
}

template <class T>
void expect_survives_nonsense() {
  std::mt19937 random(17);
  const auto orders = orders_that_are_none<T>([](const T& e) { return e.origin; });
  for (const auto& pool : pools()) {
    for (const auto& order : orders) {
      for (const std::size_t n : {2U, 31U, 32U, 33U, 700U, 9000U}) {
        const auto input = elements<T>(pattern(n, 1, random));
        auto found = input;
        heist::sort(*pool, found, order);
        std::sort(found.begin(), found.end(), is_from_further_left<T>);
        ASSERT_EQ(found, input) << n;
      }
    }
  }
}

TEST(Sort, LosesNothingToAnOrderThatIsNone) {
  expect_survives_nonsense<light>();
  expect_survives_nonsense<heavy>();
}

TEST(Sort, SurvivesFaultsEverywhere) {
  std::mt19937 random(5);
  for (const unsigned workers : {1U, 3U}) {
    heist::pool pool({.workers = workers});
    for (const std::size_t n : {20U, 70U, 600U}) {
      const auto keys = pattern(n, 0, random);
      const std::vector<fragile> input(keys.begin(), keys.end());
      // Faults occur at every operation of a small sort, and at some of a larger one.
      expect_survives_every_fault(
          [&](auto arm) {
            auto v = input;
            arm();
            heist::sort(pool, v);
            fault_plan::disarm();
            EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
          },
          5000, n < 100 ? 1 : 97);
    }
  }
}

#if !defined(HEIST_TEST_ASAN) && !defined(HEIST_TEST_TSAN)
struct alignas(64) wide {
  std::int64_t key;
  std::uint32_t origin;
  friend bool operator<(const wide& a, const wide& b) { return a.key < b.key; }
  friend bool operator==(const wide&, const wide&) = default;
};
wide make(wide*, int key, std::uint32_t origin) { return {key, origin}; }

// Without memory from the k-th large allocation on the elements are sorted, or were not moved.
template <class T, class Sort>
void expect_needs_memory_first_or_never(const Sort& sort) {
  std::mt19937 random(6);
  for (const auto& pool : {pools()[0].get(), pools()[2].get()}) {
    for (const std::size_t n : {9000U, 40'000U}) {
      const auto input = elements<T>(pattern(n, 0, random));
      bool throws = false;
      has_refused = true;
      for (long k = 0; has_refused.load(); k = k * 2 + 1) {
        auto v = input;
        has_refused = false;
        large_ones_left = k;
        try {
          sort(*pool, v);
          large_ones_left = -1;
          ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << k;
        } catch (const std::bad_alloc&) {
          large_ones_left = -1;
          throws = true;
          ASSERT_EQ(v, input) << k;
        }
        std::sort(v.begin(), v.end(), is_from_further_left<T>);
        ASSERT_EQ(v, input) << k;
      }
      EXPECT_TRUE(throws);
    }
  }
}

TEST(Sort, NeedsMemoryBeforeItMovesAnythingOrNotAtAll) {
  const auto sort = [](heist::pool& pool, auto& v) { heist::sort(pool, v); };
  const auto stably = [](heist::pool& pool, auto& v) { heist::stable_sort(pool, v); };
  expect_needs_memory_first_or_never<light>(sort);
  expect_needs_memory_first_or_never<heavy>(sort);
  expect_needs_memory_first_or_never<heavy>(stably);
  expect_needs_memory_first_or_never<wide>(sort);
  expect_needs_memory_first_or_never<wide>(stably);
}
#endif

template <class T>
void expect_merges_like_std() {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::size_t sizes[] = {0, 1, 2, 100, random() % 5000, 20'000};
  for (const std::size_t n : sizes) {
    for (const std::size_t m : sizes) {
      for (const int kind : {0, 1, 3}) {
        auto a = elements<T>(pattern(n, kind, random));
        auto b = elements<T>(pattern(m, kind, random));
        for (auto& e : b) e.origin += 1'000'000;
        sort_stably(a);
        sort_stably(b);
        std::vector<T> expected;
        std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
        for (const auto& pool : pools()) {
          std::vector<T> found(n + m);
          ASSERT_EQ(heist::merge(*pool, a, b, found.begin()), found.end());
          ASSERT_EQ(found, expected) << n << " and " << m;
        }
      }
    }
  }
}

TEST(Merge, AgreesWithStd) {
  expect_merges_like_std<light>();
  expect_merges_like_std<heavy>();
}

// The comparison is not an order, and the inputs are not sorted.
template <class T>
void expect_merge_loses_nothing() {
  std::mt19937 random(19);
  const auto orders = orders_that_are_none<T>([](const T& e) { return e.origin; });
  for (const std::size_t n : {1U, 2U, 33U, 700U, 9000U}) {
    const auto input = elements<T>(pattern(n, 0, random));
    const auto middle = input.begin() + static_cast<std::ptrdiff_t>(n / 3);
    for (const auto& pool : pools()) {
      std::vector<T> found(n);
      const auto check = [&] {
        std::sort(found.begin(), found.end(), is_from_further_left<T>);
        EXPECT_EQ(found, input) << n;
      };
      for (const auto& order : orders) {
        EXPECT_EQ(
            heist::merge(*pool, input.begin(), middle, middle, input.end(), found.begin(), order),
            found.end());
        check();
      }
      heist::merge(*pool, input.begin(), middle, middle, input.end(), found.begin());
      check();
    }
  }
}

TEST(Merge, LosesNothingToAnOrderThatIsNone) {
  expect_merge_loses_nothing<light>();
  expect_merge_loses_nothing<heavy>();
}

}  // namespace
}  // namespace heist_test
