// Algorithms that write: what they leave is what the serial algorithms leave.
#include <algorithm>
#include <functional>
#include <iterator>

#include "support.hpp"

namespace heist_test {
namespace {

template <class T>
class Changes : public testing::Test {};
TYPED_TEST_SUITE(Changes, kinds);

const auto is_odd = [](const auto& x) { return key_of(x) % 2 != 0; };

TYPED_TEST(Changes, Loops) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    const auto change = [](auto& x) { x = made<TypeParam>(key_of(x) + 1, 5); };
    auto a = v;
    auto b = v;
    std::for_each(policy, a.begin(), a.end(), change);
    std::for_each(b.begin(), b.end(), change);
    EXPECT_EQ(seen(a), seen(b));
    EXPECT_EQ(std::for_each_n(policy, a.begin(), n / 2, change) - a.begin(), n / 2);
    std::for_each_n(b.begin(), n / 2, change);
    EXPECT_EQ(seen(a), seen(b));
    std::generate(policy, a.begin(), a.end(), [] { return made<TypeParam>(4, 4); });
    std::generate_n(policy, a.begin(), n / 2, [] { return made<TypeParam>(5, 5); });
    std::generate(b.begin(), b.end(), [] { return made<TypeParam>(4, 4); });
    std::generate_n(b.begin(), n / 2, [] { return made<TypeParam>(5, 5); });
    EXPECT_EQ(seen(a), seen(b));
    std::fill(policy, a.begin(), a.end(), made<TypeParam>(8, 1));
    std::fill_n(policy, a.begin(), n / 3, made<TypeParam>(9, 1));
    std::fill(b.begin(), b.end(), made<TypeParam>(8, 1));
    std::fill_n(b.begin(), n / 3, made<TypeParam>(9, 1));
    EXPECT_EQ(seen(a), seen(b));
  });
}

TYPED_TEST(Changes, Copies) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    const auto two = [](const auto& a, const auto& b) {
      return made<TypeParam>(key_of(a) ^ key_of(b), 2);
    };
    const auto one = [](const auto& a) { return made<TypeParam>(key_of(a) * 3, name_of(a)); };
    const auto with_out = [&](const auto& call) {
      auto from = v;
      auto from_serially = v;
      std::vector<TypeParam> a(v.size() + 1, made<TypeParam>(-7, 0));
      auto b = a;
      EXPECT_EQ(call(policy, from, a.begin()) - a.begin(),
                call(std::execution::seq, from_serially, b.begin()) - b.begin());
      EXPECT_EQ(seen(a), seen(b));
    };
#define EXPECT_SAME_OUT(...) \
  with_out([&](const auto& how, auto& from, auto out) { return std::__VA_ARGS__; })
    EXPECT_SAME_OUT(copy(how, from.begin(), from.end(), out));
    EXPECT_SAME_OUT(copy_n(how, from.begin(), n / 2, out));
    EXPECT_SAME_OUT(copy_if(how, from.begin(), from.end(), out, is_odd));
    EXPECT_SAME_OUT(transform(how, from.begin(), from.end(), out, one));
    EXPECT_SAME_OUT(transform(how, from.begin(), from.end(), v.begin(), out, two));
    EXPECT_SAME_OUT(remove_copy(how, from.begin(), from.end(), out, made<TypeParam>(3, 0)));
    EXPECT_SAME_OUT(remove_copy_if(how, from.begin(), from.end(), out, is_odd));
    EXPECT_SAME_OUT(replace_copy(how, from.begin(), from.end(), out, made<TypeParam>(3, 0),
                                 made<TypeParam>(33, 1)));
    EXPECT_SAME_OUT(
        replace_copy_if(how, from.begin(), from.end(), out, is_odd, made<TypeParam>(33, 1)));
    EXPECT_SAME_OUT(reverse_copy(how, from.begin(), from.end(), out));
    EXPECT_SAME_OUT(rotate_copy(how, from.begin(), from.begin() + n / 3, from.end(), out));
    EXPECT_SAME_OUT(unique_copy(how, from.begin(), from.end(), out));
    EXPECT_SAME_OUT(
        unique_copy(how, from.begin(), from.end(), out,
                    [](const auto& a, const auto& b) { return key_of(a) % 3 == key_of(b) % 3; }));
    EXPECT_SAME_OUT(move(how, from.begin(), from.end(), out));
#undef EXPECT_SAME_OUT
  });
}

TYPED_TEST(Changes, InPlace) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    const auto in_place = [&](const auto& call) {
      auto a = v;
      auto b = v;
      const auto a_end = call(policy, a) - a.begin();
      const auto b_end = call(std::execution::seq, b) - b.begin();
      ASSERT_EQ(a_end, b_end);
      a.resize(static_cast<std::size_t>(a_end));
      b.resize(static_cast<std::size_t>(b_end));
      EXPECT_EQ(seen(a), seen(b));
    };
#define EXPECT_SAME_IN_PLACE(...) in_place([&](const auto& how, auto& w) { return __VA_ARGS__; })
    EXPECT_SAME_IN_PLACE(std::remove(how, w.begin(), w.end(), made<TypeParam>(3, 0)));
    EXPECT_SAME_IN_PLACE(std::remove_if(how, w.begin(), w.end(), is_odd));
    EXPECT_SAME_IN_PLACE(std::unique(how, w.begin(), w.end()));
    EXPECT_SAME_IN_PLACE(
        (std::replace(how, w.begin(), w.end(), made<TypeParam>(3, 0), made<TypeParam>(33, 1)),
         w.end()));
    EXPECT_SAME_IN_PLACE(
        (std::replace_if(how, w.begin(), w.end(), is_odd, made<TypeParam>(33, 1)), w.end()));
    EXPECT_SAME_IN_PLACE((std::reverse(how, w.begin(), w.end()), w.end()));
    for (const std::ptrdiff_t middle : {std::ptrdiff_t{0}, n / 5, n / 2, n - n / 7, n}) {
      auto a = v;
      auto b = v;
      EXPECT_EQ(std::rotate(policy, a.begin(), a.begin() + middle, a.end()) - a.begin(),
                std::rotate(b.begin(), b.begin() + middle, b.end()) - b.begin());
      EXPECT_EQ(seen(a), seen(b));
    }
    EXPECT_SAME_IN_PLACE(std::stable_partition(how, w.begin(), w.end(), is_odd));
#undef EXPECT_SAME_IN_PLACE
    auto a = v;
    auto b = elements<TypeParam>(v.size(), 100, 7);
    const auto b_before = b;
    EXPECT_EQ(std::swap_ranges(policy, a.begin(), a.end(), b.begin()), b.end());
    EXPECT_EQ(seen(a), seen(b_before));
    EXPECT_EQ(seen(b), seen(v));
  });
}

TYPED_TEST(Changes, Partitions) {
  with_elements<TypeParam>([](const auto& policy, const auto& v, auto n) {
    auto a = v;
    const auto middle = std::partition(policy, a.begin(), a.end(), is_odd);
    EXPECT_EQ(middle - a.begin(), std::count_if(v.begin(), v.end(), is_odd));
    EXPECT_TRUE(std::all_of(a.begin(), middle, is_odd));
    EXPECT_TRUE(std::none_of(middle, a.end(), is_odd));
    auto left = seen(a);
    auto before = seen(v);
    std::sort(left.begin(), left.end());
    std::sort(before.begin(), before.end());
    EXPECT_EQ(left, before);
    std::vector<TypeParam> yes(v.size(), made<TypeParam>(-7, 0));
    auto no = yes;
    auto yes_serial = yes;
    auto no_serial = yes;
    const auto ends =
        std::partition_copy(policy, v.begin(), v.end(), yes.begin(), no.begin(), is_odd);
    std::partition_copy(v.begin(), v.end(), yes_serial.begin(), no_serial.begin(), is_odd);
    EXPECT_EQ(ends.first - yes.begin() + (ends.second - no.begin()), n);
    EXPECT_EQ(seen(yes), seen(yes_serial));
    EXPECT_EQ(seen(no), seen(no_serial));
  });
}

TEST(ChangesOfOwned, ElementsThatCanOnlyBeMoved) {
  for (const std::size_t n : sizes) {
    with_policies([&](const auto& policy) {
      auto v = elements<owned>(n, 1000);
      const auto before = seen(v);
      std::vector<owned> w(n);
      EXPECT_EQ(std::move(policy, v.begin(), v.end(), w.begin()), w.end());
      EXPECT_EQ(seen(w), before);
      std::reverse(policy, w.begin(), w.end());
      std::reverse(policy, w.begin(), w.end());
      EXPECT_EQ(seen(w), before);
      std::swap_ranges(policy, v.begin(), v.end(), w.begin());
      EXPECT_EQ(seen(v), before);
      v.erase(std::remove_if(policy, v.begin(), v.end(), is_odd), v.end());
      EXPECT_TRUE(std::none_of(v.begin(), v.end(), is_odd));
    });
  }
  EXPECT_EQ(item::alive, 0);
}

}  // namespace
}  // namespace heist_test
