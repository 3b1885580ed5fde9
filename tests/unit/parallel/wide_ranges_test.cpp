// Ranges whose difference type is wider than 64 bits, such as std::views::iota over long: either
// the whole range runs, or nothing does and an exception says why.
#include <atomic>
#include <climits>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/unit/parallel/numbers.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

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
