// A loop that is stopped ends soon, however much of it is left. The tests count how often the stop
// condition is asked, so that they need no clock.
#include <atomic>
#include <cstdint>
#include <functional>

#include "heist/count.hpp"
#include "heist/find.hpp"
#include "heist/parallel_for.hpp"
#include "heist/reduce.hpp"
#include "tests/unit/cancellation/support.hpp"
#include "tests/unit/parallel/numbers.hpp"

namespace heist_test {
namespace {

// Stops at the n-th question, and counts the later ones.
class counts_late_questions {
 public:
  explicit counts_late_questions(long n) noexcept : left_(n) {}
  [[nodiscard]] bool stop_requested() const noexcept {
    if (left_.fetch_sub(1, std::memory_order_relaxed) > 1) return false;
    asked_late_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  [[nodiscard]] long asked_late() const noexcept {
    return asked_late_.load(std::memory_order_relaxed);
  }

 private:
  mutable std::atomic<long> left_;
  mutable std::atomic<long> asked_late_{0};
};

// A worker that has part of a loop's work at the stop asks once for each part that still waits in a
// deque, and no part is split further. That makes a few questions, however much is left.
void expect_soon_over(const heist::pool& pool, const counts_late_questions& stop,
                      const std::optional<counts>& told, std::uint64_t total, const char* what) {
  ASSERT_TRUE(told) << what;
  EXPECT_EQ(told->total, total) << what;
  EXPECT_LE(stop.asked_late(), 64L * pool.workers()) << what << " with " << pool.workers();
}

TEST(StoppedLoops, OfABlockWalkNothingAfterTheStop) {
  for (const auto& pool : pools()) {
    for (const long moment : {1L, 2L, 50L, 3000L}) {
      std::atomic<std::uint64_t> ran{0};
      const auto stop_a_block = [&](const auto& cells, auto&& body, const char* what) {
        ran = 0;
        const counts_late_questions stop(moment);
        const auto told = told_by([&] { heist::parallel_for(*pool, stop, cells, body); });
        expect_soon_over(*pool, stop, told, cells.size(), what);
        EXPECT_EQ(told ? told->done : 0, ran.load()) << what;
      };
      const auto count_cells = [&](const auto& tile) { ran += tile.size(); };
      constexpr std::size_t edge = 1000;
      stop_a_block(
          heist::block<2>{{0, 0}, {edge * edge, edge}}, [&](std::size_t, std::size_t) { ++ran; },
          "cells of a plane");
      stop_a_block(
          heist::block<3>{{0, 0, 0}, {edge, edge, edge}},
          [&](std::size_t, std::size_t, std::size_t) { ++ran; }, "cells of a volume");
      stop_a_block(heist::block<2>{{5, 7}, {edge * edge, edge}}, count_cells, "tiles of a plane");
      stop_a_block(heist::block<3>{{1, 2, 3}, {edge, edge, edge}}, count_cells,
                   "tiles of a volume");
    }
  }
}

// Running one of these loops to its end would take longer than the test may.
TEST(StoppedLoops, OfABlockWithMoreCellsThanAnybodyCanWalk) {
  constexpr std::size_t edge = std::size_t{1} << 40;
  for (const auto& pool : pools()) {
    const counts_late_questions plane(100);
    const auto told = told_by([&] {
      heist::parallel_for(*pool, plane, heist::block<2>{{0, 0}, {edge, edge}},
                          [](std::size_t, std::size_t) {});
    });
    expect_soon_over(*pool, plane, told, SIZE_MAX, "plane");
    const counts_late_questions volume(100);
    const auto told_too = told_by([&] {
      heist::parallel_for(*pool, volume, heist::block<3>{{0, 0, 0}, {edge, edge, edge}},
                          [](std::size_t, std::size_t, std::size_t) {});
    });
    expect_soon_over(*pool, volume, told_too, SIZE_MAX, "volume");
  }
}

// The same for the other loops, which drop the remaining work at once.
template <class Partitioner>
void stop_a_long_range_with(const char* name, Partitioner&& how) {
  for (const auto& pool : pools()) {
    const counts_late_questions stop(100);
    const auto told = told_by([&] {
      heist::parallel_for(
          *pool, stop, 0L, 1L << 50, [](long) {}, how);
    });
    expect_soon_over(*pool, stop, told, 1UL << 50, name);
  }
}

TEST(StoppedLoops, OfARangeWalkNothingAfterTheStop) {
  stop_a_long_range_with("on_demand", heist::on_demand{});
  stop_a_long_range_with("static_blocks", heist::static_blocks{});
  stop_a_long_range_with("interleaved", heist::interleaved{10});
  stop_a_long_range_with("dynamic", heist::dynamic{100});
  stop_a_long_range_with("guided", heist::guided{});
  stop_a_long_range_with("semi_static", heist::semi_static(2));
  stop_a_long_range_with("affinity", heist::affinity());
}

TEST(StoppedLoops, OfATreeOrASearchWalkNothingAfterTheStop) {
  const numbers<long, long> all(0, 1L << 50);
  for (const auto& pool : pools()) {
    const auto run = [&](const char* what, auto&& algorithm) {
      for (const long moment : {1L, 100L}) {
        const counts_late_questions stop(moment);
        const auto told = told_by([&] { algorithm(stop); });
        expect_soon_over(*pool, stop, told, 1UL << 50, what);
      }
    };
    run("reduce", [&](const auto& s) { heist::reduce(*pool, s, all, 0L, std::bit_xor<>()); });
    run("transform_reduce", [&](const auto& s) {
      heist::transform_reduce(*pool, s, all, 0L, std::bit_xor<>(), [](long i) { return i & 1; });
    });
    run("count_if",
        [&](const auto& s) { heist::count_if(*pool, s, all, [](long i) { return i < 0; }); });
    run("find_if",
        [&](const auto& s) { heist::find_if(*pool, s, all, [](long i) { return i < 0; }); });
    run("any_of",
        [&](const auto& s) { heist::any_of(*pool, s, all, [](long i) { return i < 0; }); });
  }
}

}  // namespace
}  // namespace heist_test
