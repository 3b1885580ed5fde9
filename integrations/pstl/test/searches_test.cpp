// Algorithms that only look at elements: results are those of the serial algorithms.
#include <algorithm>
#include <functional>
#include <iterator>

#include "support.hpp"

namespace heist_test {
namespace {

template <class T>
class Searches : public testing::Test {};
TYPED_TEST_SUITE(Searches, kinds);

const auto is_odd = [](const auto& x) { return key_of(x) % 2 != 0; };
const auto is_late = [](const auto& x) { return key_of(x) > 999'990; };
const auto is_negative = [](const auto& x) { return key_of(x) < 0; };

TYPED_TEST(Searches, Quantifiers) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto) {
    const auto check = [&](const auto& pred) {
      EXPECT_EQ(std::all_of(policy, v.begin(), v.end(), pred),
                std::all_of(v.begin(), v.end(), pred));
      EXPECT_EQ(std::any_of(policy, v.begin(), v.end(), pred),
                std::any_of(v.begin(), v.end(), pred));
      EXPECT_EQ(std::none_of(policy, v.begin(), v.end(), pred),
                std::none_of(v.begin(), v.end(), pred));
      EXPECT_EQ(std::count_if(policy, v.begin(), v.end(), pred),
                std::count_if(v.begin(), v.end(), pred));
      EXPECT_EQ(std::find_if(policy, v.begin(), v.end(), pred),
                std::find_if(v.begin(), v.end(), pred));
      EXPECT_EQ(std::find_if_not(policy, v.begin(), v.end(), pred),
                std::find_if_not(v.begin(), v.end(), pred));
      EXPECT_EQ(std::is_partitioned(policy, v.begin(), v.end(), pred),
                std::is_partitioned(v.begin(), v.end(), pred));
    };
    check(is_odd);
    check(is_late);
    check(is_negative);
    check(std::not_fn(is_negative));
  });
}

TYPED_TEST(Searches, Values) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    for (const std::ptrdiff_t at : {n / 2, n - 1}) {
      const auto value = n == 0 ? made<TypeParam>(3, 0) : v[static_cast<std::size_t>(at)];
      EXPECT_EQ(std::find(policy, v.begin(), v.end(), value), std::find(v.begin(), v.end(), value));
      EXPECT_EQ(std::count(policy, v.begin(), v.end(), value),
                std::count(v.begin(), v.end(), value));
      EXPECT_EQ(std::search_n(policy, v.begin(), v.end(), 2, value),
                std::search_n(v.begin(), v.end(), 2, value));
    }
    EXPECT_EQ(std::adjacent_find(policy, v.begin(), v.end()),
              std::adjacent_find(v.begin(), v.end()));
    EXPECT_EQ(std::adjacent_find(policy, v.begin(), v.end(), std::greater{}),
              std::adjacent_find(v.begin(), v.end(), std::greater{}));
  });
}

TYPED_TEST(Searches, Parts) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    for (const std::ptrdiff_t length : {std::ptrdiff_t{0}, std::ptrdiff_t{1}, n / 3, n}) {
      const auto first = v.begin() + (n - length) / 2;
      const auto last = first + length;
      EXPECT_EQ(std::search(policy, v.begin(), v.end(), first, last),
                std::search(v.begin(), v.end(), first, last));
      EXPECT_EQ(std::find_end(policy, v.begin(), v.end(), first, last),
                std::find_end(v.begin(), v.end(), first, last));
    }
    const auto some = elements<TypeParam>(5, 1'000'000, 99);
    EXPECT_EQ(std::find_first_of(policy, v.begin(), v.end(), some.begin(), some.end()),
              std::find_first_of(v.begin(), v.end(), some.begin(), some.end()));
  });
}

TYPED_TEST(Searches, TwoRanges) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    auto w = v;
    EXPECT_TRUE(std::equal(policy, v.begin(), v.end(), w.begin()));
    EXPECT_TRUE(std::equal(policy, v.begin(), v.end(), w.begin(), w.end()));
    EXPECT_FALSE(std::lexicographical_compare(policy, v.begin(), v.end(), w.begin(), w.end()));
    for (const std::ptrdiff_t at : {std::ptrdiff_t{0}, n / 2, n - 1}) {
      if (at < 0 || at >= n) continue;
      w = v;
      w[static_cast<std::size_t>(at)] = made<TypeParam>(-5, 0);
      EXPECT_EQ(std::mismatch(policy, v.begin(), v.end(), w.begin()),
                std::mismatch(v.begin(), v.end(), w.begin()));
      EXPECT_EQ(std::mismatch(policy, v.begin(), v.end(), w.begin(), w.end()).first - v.begin(),
                at);
      EXPECT_FALSE(std::equal(policy, v.begin(), v.end(), w.begin()));
      EXPECT_FALSE(std::lexicographical_compare(policy, v.begin(), v.end(), w.begin(), w.end()));
      EXPECT_TRUE(std::lexicographical_compare(policy, w.begin(), w.end(), v.begin(), v.end()));
    }
    w.push_back(made<TypeParam>(1, 1));
    EXPECT_FALSE(std::equal(policy, v.begin(), v.end(), w.begin(), w.end()));
  });
}

TYPED_TEST(Searches, Extremes) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto) {
    EXPECT_EQ(std::min_element(policy, v.begin(), v.end()), std::min_element(v.begin(), v.end()));
    EXPECT_EQ(std::max_element(policy, v.begin(), v.end()), std::max_element(v.begin(), v.end()));
    EXPECT_EQ(std::minmax_element(policy, v.begin(), v.end()),
              std::minmax_element(v.begin(), v.end()));
  });
}

TYPED_TEST(Searches, Order) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    const auto check = [&](const auto& w) {
      EXPECT_EQ(std::is_sorted(policy, w.begin(), w.end()), std::is_sorted(w.begin(), w.end()));
      EXPECT_EQ(std::is_sorted_until(policy, w.begin(), w.end()),
                std::is_sorted_until(w.begin(), w.end()));
      EXPECT_EQ(std::is_heap(policy, w.begin(), w.end()), std::is_heap(w.begin(), w.end()));
      EXPECT_EQ(std::is_heap_until(policy, w.begin(), w.end()),
                std::is_heap_until(w.begin(), w.end()));
    };
    check(v);
    auto w = v;
    std::make_heap(w.begin(), w.end());
    check(w);
    std::sort(w.begin(), w.end());
    check(w);
    if (n > 2) {
      std::swap(w[static_cast<std::size_t>(n) - 2], w[static_cast<std::size_t>(n) - 1]);
      check(w);
    }
  });
}

}  // namespace
}  // namespace heist_test
