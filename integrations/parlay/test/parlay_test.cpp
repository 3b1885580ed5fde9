// The four functions of the plugin, over a stand-in of ParlayLib's header or, where its own headers
// are given, these.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <heist/integrations/parlay.hpp>

#if defined(HEIST_TEST_PARLAY_ITSELF)
#include <parlay/primitives.h>
#include <parlay/sequence.h>
#endif

namespace heist_test {
namespace {

TEST(Plugin, LoopsCallEachIndexOnce) {
  for (const std::size_t n : {0U, 1U, 2U, 1000U, 100'003U}) {
    for (const long granularity : {0L, 1L, 7L, 4096L, 1'000'000L}) {
      for (const bool conservative : {false, true}) {
        std::vector<std::atomic<int>> calls(n + 10);
        parlay::parallel_for(
            10, n + 10, [&](std::size_t i) { ++calls[i]; }, granularity, conservative);
        EXPECT_EQ(std::count_if(calls.begin(), calls.end(), [](auto& c) { return c == 1; }),
                  static_cast<long>(n));
      }
    }
  }
  parlay::parallel_for(5, 3, [](std::size_t) { FAIL() << "of an empty range"; });
}

TEST(Plugin, AGranularityIsTheLeastThatStaysTogether) {
  heist::pool pool({.workers = 8});
  const std::size_t n = 100'000;
  std::vector<std::atomic<std::thread::id>> by(n);
  pool.run([&] {
    parlay::parallel_for(
        0, n, [&](std::size_t i) { by[i] = std::this_thread::get_id(); }, 500);
  });
  std::size_t first = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    if (i != n && by[i] == by[first]) continue;
    EXPECT_GE(i - first, 500U) << first;
    first = i;
  }
}

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  parlay::par_do([&] { x = fib(n - 1); }, [&] { y = fib(n - 2); });
  return x + y;
}

TEST(Plugin, ParDoForksAndPassesExceptionsOn) {
  EXPECT_EQ(fib(20), 6765U);
  EXPECT_THROW(parlay::par_do([] { throw std::runtime_error("left"); }, [] {}), std::runtime_error);
}

TEST(Plugin, AskingForTheNumberOfWorkersMakesNoPool) {
  EXPECT_EQ(heist::this_worker::pool(), nullptr);
  const std::size_t before = parlay::num_workers();
  EXPECT_GE(before, 1U);
  EXPECT_EQ(parlay::worker_id(), 0U);
  EXPECT_EQ(heist::default_pool().workers(), before);
  heist::pool pool({.workers = 5});
  EXPECT_EQ(pool.run([] { return parlay::num_workers(); }), 5U);
}

// What ParlayLib's programs do with ids: a place for each worker, without locks.
TEST(Plugin, IdsArePlacesOfOnesOwn) {
  heist::pool pool({.workers = 4});
  struct alignas(64) place {
    std::atomic<int> users{0};
    long sum = 0;
  };
  std::vector<place> places(4);
  std::atomic<int> shared{0};
  const long n = 200'000;
  pool.run([&] {
    parlay::parallel_for(0, static_cast<std::size_t>(n), [&](std::size_t i) {
      place& mine = places.at(parlay::worker_id());
      if (mine.users++ != 0) ++shared;
      mine.sum += static_cast<long>(i);
      --mine.users;
    });
  });
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(std::accumulate(places.begin(), places.end(), 0L,
                            [](long sum, const place& p) { return sum + p.sum; }),
            n * (n - 1) / 2);
}

#if defined(HEIST_TEST_PARLAY_ITSELF)
TEST(Parlay, SortsAndScans) {
  const std::size_t n = 1'000'000;
  const auto v = parlay::tabulate(n, [](std::size_t i) { return (i * 7919) % 1'000'003; });
  const auto sorted = parlay::sort(v);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_EQ(parlay::reduce(v), std::accumulate(v.begin(), v.end(), std::size_t{0}));
  const auto kept = parlay::filter(v, [](std::size_t x) { return x % 3 == 0; });
  EXPECT_EQ(static_cast<long>(kept.size()),
            std::count_if(v.begin(), v.end(), [](std::size_t x) { return x % 3 == 0; }));
}
#else
TEST(Plugin, ItsFunctionsAreThoseThatTheHeaderDeclared) {
  std::vector<int> v(100'000, 1);
  std::atomic<long> sum{0};
  parlay::by_halves(0, v.size(), 100, [&](std::size_t first, std::size_t last) {
    sum += std::accumulate(v.begin() + static_cast<long>(first),
                           v.begin() + static_cast<long>(last), 0L);
  });
  EXPECT_EQ(sum, 100'000);
}
#endif

}  // namespace
}  // namespace heist_test
