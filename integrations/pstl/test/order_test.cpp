// Sorting, merging and set operations: results are those of the serial algorithms, also in the
// order of equal elements where that is promised.
#include <algorithm>
#include <functional>
#include <iterator>

#include "support.hpp"

namespace heist_test {
namespace {

template <class T>
class Order : public testing::Test {};
TYPED_TEST_SUITE(Order, kinds);

template <class T>
std::vector<std::pair<int, int>> sorted_pairs(const std::vector<T>& v) {
  auto pairs = seen(v);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

TYPED_TEST(Order, Sorts) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto) {
    auto a = v;
    std::sort(policy, a.begin(), a.end());
    EXPECT_TRUE(std::is_sorted(a.begin(), a.end()));
    EXPECT_EQ(sorted_pairs(a), sorted_pairs(v));
    std::sort(policy, a.begin(), a.end(), std::greater{});
    EXPECT_TRUE(std::is_sorted(a.begin(), a.end(), std::greater{}));
    auto b = v;
    auto c = v;
    std::stable_sort(policy, b.begin(), b.end());
    std::stable_sort(c.begin(), c.end());
    EXPECT_EQ(seen(b), seen(c));
    b = c = v;
    std::stable_sort(policy, b.begin(), b.end(), std::greater{});
    std::stable_sort(c.begin(), c.end(), std::greater{});
    EXPECT_EQ(seen(b), seen(c));
  });
}

TYPED_TEST(Order, PartialSorts) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    auto sorted = v;
    std::sort(sorted.begin(), sorted.end());
    for (const std::ptrdiff_t k : {std::ptrdiff_t{0}, n / 1000, n / 50, n / 3, n - n / 10, n}) {
      auto a = v;
      std::partial_sort(policy, a.begin(), a.begin() + k, a.end());
      EXPECT_TRUE(std::equal(a.begin(), a.begin() + k, sorted.begin())) << k;
      EXPECT_EQ(sorted_pairs(a), sorted_pairs(v)) << k;
      for (const std::ptrdiff_t space : {k, k + 5}) {
        std::vector<TypeParam> out(static_cast<std::size_t>(space), made<TypeParam>(-7, 0));
        const auto end = std::partial_sort_copy(policy, v.begin(), v.end(), out.begin(), out.end());
        ASSERT_EQ(end - out.begin(), std::min(space, n));
        EXPECT_TRUE(std::equal(out.begin(), end, sorted.begin())) << k;
      }
      if (k < n) {
        a = v;
        std::nth_element(policy, a.begin(), a.begin() + k, a.end());
        const auto nth = a.begin() + k;
        EXPECT_EQ(*nth, sorted[static_cast<std::size_t>(k)]);
        EXPECT_TRUE(std::none_of(a.begin(), nth, [&](const auto& x) { return *nth < x; }));
        EXPECT_TRUE(std::none_of(nth, a.end(), [&](const auto& x) { return x < *nth; }));
        EXPECT_EQ(sorted_pairs(a), sorted_pairs(v));
      }
    }
  });
}

TYPED_TEST(Order, Merges) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    auto a = v;
    std::stable_sort(a.begin(), a.end());
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}, a.size() / 3, a.size()}) {
      auto b = elements<TypeParam>(m, 500'000, 3);
      std::stable_sort(b.begin(), b.end());
      std::vector<TypeParam> out(a.size() + m, made<TypeParam>(-7, 0));
      auto serial = out;
      EXPECT_EQ(std::merge(policy, a.begin(), a.end(), b.begin(), b.end(), out.begin()), out.end());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), serial.begin());
      EXPECT_EQ(seen(out), seen(serial)) << m;
    }
    for (const std::ptrdiff_t middle : {std::ptrdiff_t{0}, n / 4, n / 2, n}) {
      auto b = v;
      std::stable_sort(b.begin(), b.begin() + middle);
      std::stable_sort(b.begin() + middle, b.end());
      auto c = b;
      std::inplace_merge(policy, b.begin(), b.begin() + middle, b.end());
      std::inplace_merge(c.begin(), c.begin() + middle, c.end());
      EXPECT_EQ(seen(b), seen(c)) << middle;
    }
  });
}

TYPED_TEST(Order, Sets) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto) {
    auto a = v;
    std::stable_sort(a.begin(), a.end());
    for (const int keys : {7, 100'000, 1'000'000}) {
      for (const std::size_t m : {std::size_t{0}, std::size_t{2}, a.size() / 2, a.size()}) {
        auto b = elements<TypeParam>(m, keys, 3);
        std::stable_sort(b.begin(), b.end());
        const auto check = [&](const auto& parallel, const auto& serial) {
          std::vector<TypeParam> x(a.size() + m, made<TypeParam>(-7, 0));
          auto y = x;
          EXPECT_EQ(parallel(x.begin()) - x.begin(), serial(y.begin()) - y.begin());
          // Not names: libstdc++'s parallel forms take equal elements from either range.
          EXPECT_TRUE(x == y) << m << " of " << keys;
        };
#define EXPECT_SAME_SET(algorithm)                                                  \
  check(                                                                            \
      [&](auto out) {                                                               \
        return std::algorithm(policy, a.begin(), a.end(), b.begin(), b.end(), out); \
      },                                                                            \
      [&](auto out) { return std::algorithm(a.begin(), a.end(), b.begin(), b.end(), out); })
        EXPECT_SAME_SET(set_union);
        EXPECT_SAME_SET(set_intersection);
        EXPECT_SAME_SET(set_difference);
        EXPECT_SAME_SET(set_symmetric_difference);
#undef EXPECT_SAME_SET
        EXPECT_EQ(std::includes(policy, a.begin(), a.end(), b.begin(), b.end()),
                  std::includes(a.begin(), a.end(), b.begin(), b.end()));
      }
    }
    std::vector<TypeParam> part;
    for (std::size_t i = 0; i < a.size(); i += 3) part.push_back(a[i]);
    EXPECT_TRUE(std::includes(policy, a.begin(), a.end(), part.begin(), part.end()));
  });
}

TEST(OrderOfOwned, ElementsThatCanOnlyBeMoved) {
  for (const std::size_t n : sizes) {
    with_policies([&](const auto& policy) {
      auto v = elements<owned>(n, 50);
      std::stable_sort(policy, v.begin(), v.end());
      for (std::size_t i = 1; i < n; ++i)
        ASSERT_LE((std::pair(v[i - 1].key(), v[i - 1].name())),
                  (std::pair(v[i].key(), v[i].name())));
      std::sort(policy, v.begin(), v.end(), std::greater{});
      EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), std::greater{}));
      std::partial_sort(policy, v.begin(), v.begin() + static_cast<long>(n / 20), v.end());
      EXPECT_TRUE(std::is_sorted(v.begin(), v.begin() + static_cast<long>(n / 20)));
    });
  }
  EXPECT_EQ(item::alive, 0);
}

}  // namespace
// A comparison or predicate may take its arguments by value, or by references that bind to no
// rvalue: what it gets is the element, which it leaves alone.
template <class Less>
void leave_elements_alone(const Less& less) {
  constexpr int n = 30'000;
  std::vector<std::string> v;
  for (int i = 0; i < n; ++i) v.push_back(std::string(40, 'x') + std::to_string(i * 7919 % n));
  auto sorted = v;
  std::sort(sorted.begin(), sorted.end());
  const auto is_whole = [&](std::vector<std::string>& a) {
    std::sort(a.begin(), a.end());
    return a == sorted;
  };
  const auto same = [&](auto& x, auto& y) { return !less(x, y) && !less(y, x); };
  const auto first_half = [&](auto& x) { return less(x, sorted[n / 2]); };
  const auto par = std::execution::par;
  auto a = v;
  std::sort(par, a.begin(), a.end(), less);
  EXPECT_TRUE(is_whole(a));
  a = v;
  std::stable_sort(par, a.begin(), a.end(), less);
  EXPECT_TRUE(is_whole(a));
  for (const int k : {10, 300, n / 2}) {
    a = v;
    std::partial_sort(par, a.begin(), a.begin() + k, a.end(), less);
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + k, sorted.begin())) << k;
    EXPECT_TRUE(is_whole(a)) << k;
    a = v;
    std::nth_element(par, a.begin(), a.begin() + k, a.end(), less);
    EXPECT_TRUE(is_whole(a)) << k;
    std::vector<std::string> out(static_cast<std::size_t>(k));
    std::partial_sort_copy(par, v.begin(), v.end(), out.begin(), out.end(), less);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), sorted.begin())) << k;
  }
  a = v;
  std::sort(a.begin(), a.begin() + n / 3);
  std::sort(a.begin() + n / 3, a.end());
  std::inplace_merge(par, a.begin(), a.begin() + n / 3, a.end(), less);
  EXPECT_TRUE(is_whole(a));
  a = v;
  std::partition(par, a.begin(), a.end(), first_half);
  EXPECT_TRUE(is_whole(a));
  a = v;
  std::stable_partition(par, a.begin(), a.end(), first_half);
  EXPECT_TRUE(is_whole(a));
  a = sorted;
  EXPECT_EQ(std::unique(par, a.begin(), a.end(), same), a.end());
  EXPECT_TRUE(is_whole(a));
  // These only read.
  const auto before = v;
  std::vector<std::string> out(2 * n);
  std::merge(par, sorted.begin(), sorted.end(), a.begin(), a.end(), out.begin(), less);
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
  std::set_union(par, sorted.begin(), sorted.end(), a.begin(), a.end(), out.begin(), less);
  std::set_intersection(par, sorted.begin(), sorted.end(), a.begin(), a.end(), out.begin(), less);
  std::set_difference(par, sorted.begin(), sorted.end(), a.begin(), a.end(), out.begin(), less);
  EXPECT_TRUE(std::includes(par, sorted.begin(), sorted.end(), a.begin(), a.end(), less));
  EXPECT_EQ(*std::min_element(par, v.begin(), v.end(), less), sorted.front());
  EXPECT_EQ(*std::max_element(par, v.begin(), v.end(), less), sorted.back());
  EXPECT_TRUE(std::is_sorted(par, sorted.begin(), sorted.end(), less));
  EXPECT_FALSE(std::is_heap(par, v.begin(), v.end(), less));
  EXPECT_FALSE(std::lexicographical_compare(par, v.begin(), v.end(), v.begin(), v.end(), less));
  EXPECT_EQ(std::count_if(par, v.begin(), v.end(), first_half), n / 2);
  std::copy_if(par, v.begin(), v.end(), out.begin(), first_half);
  EXPECT_EQ(v, before);
  EXPECT_TRUE(is_whole(a));
}

TEST(Comparisons, LeaveElementsAloneThatTheyTakeByValue) {
  leave_elements_alone([](std::string x, std::string y) { return x < y; });
}
TEST(Comparisons, GetElementsThatBindToReferences) {
  leave_elements_alone([](auto& x, auto& y) { return x < y; });
}

}  // namespace heist_test
