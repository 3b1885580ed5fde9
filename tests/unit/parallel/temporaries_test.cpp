// Ranges that are temporaries, and views whose elements are made when they are read.
// Clang 14 and 15 refuse libstdc++'s <ranges>, so they compile nothing of this.
#if !defined(__clang_major__) || __clang_major__ >= 16
#include <atomic>
#include <functional>
#include <ranges>
#include <span>
#include <vector>

#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

constexpr int n = 10'000;

std::vector<int> made() {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = i;
  return v;
}
auto squares() {
  return std::views::iota(0, n) | std::views::transform([](int i) { return long{i} * i; });
}
constexpr long sum = long{n} * (n - 1) / 2;
constexpr long sum_of_squares = long{n - 1} * n * (2 * n - 1) / 6;

TEST(Temporaries, AreReducedAndCounted) {
  for (const auto& pool : pools()) {
    EXPECT_EQ(heist::reduce(*pool, made(), 0L, std::plus<>()), sum);
    EXPECT_EQ(heist::reduce(*pool, squares()), sum_of_squares);
    EXPECT_EQ(
        heist::transform_reduce(*pool, made(), 0L, std::plus<>(), [](int i) { return long{i}; }),
        sum);
    EXPECT_EQ(heist::transform_reduce(*pool, std::views::iota(0, n), 0L, std::plus<>(),
                                      [](int i) { return long{i}; }),
              sum);
    EXPECT_EQ(heist::count(*pool, made(), 7), 1);
    EXPECT_EQ(heist::count_if(*pool, squares(), [](long s) { return s % 2 == 0; }), n / 2);
    EXPECT_TRUE(heist::any_of(*pool, squares(), [](long s) { return s == 49; }));
  }
}

TEST(Temporaries, AreVisited) {
  for (const auto& pool : pools()) {
    std::atomic<long> visited{0};
    heist::parallel_for(*pool, made(), [&](int i) { visited += i; });
    heist::for_each(*pool, squares(), [&](long s) { visited += s; });
    EXPECT_EQ(visited, sum + sum_of_squares);
  }
}

TEST(Temporaries, AreRead) {
  for (const auto& pool : pools()) {
    std::vector<long> out(n);
    heist::inclusive_scan(*pool, squares(), out.begin());
    EXPECT_EQ(out.back(), sum_of_squares);
    heist::transform(*pool, made(), out.begin(), [](int i) { return long{i}; });
    EXPECT_EQ(out[77], 77);
    heist::copy(*pool, squares(), out.begin());
    EXPECT_EQ(out[77], 77 * 77);
    EXPECT_EQ(heist::copy_if(*pool, made(), out.begin(), [](int i) { return i > 9; }) - out.begin(),
              n - 10);
  }
}

// An iterator into a temporary would dangle. A refused call has a result of its own, until it is
// made: then a sentence says why (tests/compile_fail).
template <class R>
concept can_be_searched =
    !std::same_as<decltype(heist::find(std::declval<R>(), 1)), heist::detail::refused>;
static_assert(!can_be_searched<std::vector<int>> && can_be_searched<std::vector<int>&>);
static_assert(can_be_searched<std::span<int>>);

}  // namespace
}  // namespace heist_test
#endif
