// Pipelines: every item passes every stage once, in order where the stage requires it, and there
// are never more items than tokens.
#include "heist/pipeline.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "heist/error.hpp"
#include "heist/sync/latch.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

class Pipelines : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Pipelines, testing::ValuesIn(few_pools()), name_of);

// The numbers 0 to n - 1 as items that can only be moved.
struct numbers {
  int n;
  int next = 0;
  std::optional<std::unique_ptr<int>> operator()() {
    if (next == n) return std::nullopt;
    return std::make_unique<int>(next++);
  }
};

TEST_P(Pipelines, ItemsArriveInOrderAndWithinTheLimit) {
  for (const std::size_t tokens : {1U, 2U, 7U}) {
    const int n = scaled(400);
    std::atomic<int> under_way{0};
    std::atomic<int> most{0};
    int in_second = 0;  // not atomic: one item at a time
    std::vector<int> out;
    auto line = heist::make_pipeline(numbers{n}, heist::in_parallel([&](std::unique_ptr<int> p) {
                                       const int now = ++under_way;
                                       for (int seen = most;
                                            now > seen && !most.compare_exchange_weak(seen, now);) {
                                       }
                                       *p *= 2;
                                       return p;
                                     }),
                                     heist::out_of_order([&](std::unique_ptr<int> p) {
                                       ++in_second;
                                       return p;
                                     }),
                                     heist::in_order([&](std::unique_ptr<int> p) {
                                       out.push_back(*p);
                                       --under_way;
                                     }));
    EXPECT_EQ(line.run(pool_, {.tokens = tokens}), static_cast<std::uint64_t>(n));
    EXPECT_EQ(in_second, n);
    EXPECT_LE(most, static_cast<int>(tokens));
    ASSERT_EQ(out.size(), static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 2 * i);
  }
}

void spin_for(unsigned rounds) {
  volatile unsigned sink = 0;
  for (unsigned i = 0; i < rounds; ++i) sink = i;
  static_cast<void>(sink);
}

// Items come to the last stage in another order than they were begun.
TEST_P(Pipelines, ItemsOfAnyLengthLeaveInOrder) {
  for (const std::size_t tokens : {2U, 5U, 16U, 64U}) {
    const int n = scaled(3000);
    int came = 0;
    auto line = heist::make_pipeline(numbers{n}, heist::in_parallel([](std::unique_ptr<int> p) {
                                       const unsigned hash =
                                           static_cast<unsigned>(*p) * 2654435761U;
                                       spin_for(hash >> 22);
                                       if (hash % 64 == 0) std::this_thread::yield();
                                       return p;
                                     }),
                                     heist::in_order([&](std::unique_ptr<int> p) {
                                       EXPECT_EQ(*p, came);
                                       ++came;
                                     }));
    EXPECT_EQ(line.run(pool_, {.tokens = tokens}), static_cast<std::uint64_t>(n));
    EXPECT_EQ(came, n);
  }
}

// One carrier is enough for small items, but not when it is held up: an item may wait for a later
// one, as long as there are tokens for both.
TEST_P(Pipelines, AnItemMayWaitForLaterOnes) {
  const int small = scaled(2000);
  const auto run = [&](auto... last) {
    heist::latch began(5);
    auto line = heist::make_pipeline(numbers{small + 5},
                                     heist::in_parallel([&](const std::unique_ptr<int>& p) {
                                       if (*p >= small) began.arrive_and_wait();
                                       return *p;
                                     }),
                                     last...);
    EXPECT_EQ(line.run(pool_, {.tokens = 5}), static_cast<std::uint64_t>(small) + 5);
  };
  run();
  run(heist::in_order([](int) {}));
  run(heist::in_order([](int i) { return i; }), heist::in_parallel([](int) {}));
  run(heist::out_of_order([](int) {}));
}

// Throws when it is moved often enough: into the slot of the last stage, or a little earlier.
struct bad_to_move {
  int number = 0;
  int moves = 0;
  explicit bad_to_move(int n) : number(n) {}
  bad_to_move(bad_to_move&& from) : number(from.number), moves(from.moves + 1) {
    if (moves >= 3 && number == 30) throw std::runtime_error("moved");
  }
};

TEST_P(Pipelines, AnItemThatCannotBeMovedStopsIt) {
  int n = 0;
  auto line = heist::make_pipeline(
      [&]() -> std::optional<bad_to_move> {
        if (n == 1000) return std::nullopt;
        return std::optional<bad_to_move>(std::in_place, n++);
      },
      heist::in_parallel([](bad_to_move b) {
        if (b.number % 7 == 0) std::this_thread::yield();
        return b;
      }),
      heist::in_order([](const bad_to_move& b) { EXPECT_LE(b.number, 30); }));
  EXPECT_THROW(line.run(pool_), std::runtime_error);
}

TEST_P(Pipelines, AnExceptionStopsItAndDestroysWhatIsUnderWay) {
  for (int bad = 0; bad < 20; ++bad) {
    int source = 0;
    std::atomic<int> through{0};
    auto line = heist::make_pipeline(
        [&]() -> std::optional<std::pair<int, counted>> {
          if (source == 20) return std::nullopt;
          return std::pair(source++, counted());
        },
        heist::in_parallel([&](std::pair<int, counted> p) {
          if (p.first == bad) throw std::runtime_error(std::to_string(bad));
          return p;
        }),
        heist::in_order([&](const std::pair<int, counted>& p) {
          EXPECT_LT(p.first, bad);  // in order: no item overtakes the one that threw
          ++through;
        }));
    try {
      line.run(pool_, {.tokens = 4});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(e.what(), std::to_string(bad));
    }
    EXPECT_LE(through, bad);
    EXPECT_LE(source, 20);
    EXPECT_EQ(counted::alive, 0);
  }
}

TEST_P(Pipelines, TakeAnyNumberOfTokens) {
  for (const std::size_t tokens : {std::size_t{1} << 40, ~std::size_t{0}}) {
    int n = 0;
    std::atomic<int> through{0};
    auto line = heist::make_pipeline(
        [&]() -> std::optional<int> { return n == 1000 ? std::nullopt : std::optional(n++); },
        heist::in_parallel([&](int) { ++through; }));
    EXPECT_EQ(line.run(pool_, {.tokens = tokens}), 1000U);
    EXPECT_EQ(through, 1000);
  }
}

TEST_P(Pipelines, AnExceptionOfTheSource) {
  int n = 0;
  std::atomic<int> through{0};
  auto line = heist::make_pipeline(
      [&]() -> std::optional<int> {
        if (n == 10) throw std::runtime_error("source");
        return n++;
      },
      heist::in_order([&](int) { ++through; }));
  EXPECT_THROW(line.run(pool_), std::runtime_error);
  EXPECT_LE(through, 10);
}

TEST_P(Pipelines, AStopLetsThroughWhatHasBegun) {
  std::stop_source stop;
  int begun = 0;
  std::atomic<int> through{0};
  auto line = heist::make_pipeline(
      [&]() -> std::optional<int> {  // endless
        if (begun == 50) stop.request_stop();
        return begun++;
      },
      heist::in_parallel([](int i) { return i; }), heist::in_order([&](int i) {
        EXPECT_EQ(i, through);
        ++through;
      }));
  EXPECT_EQ(line.run(pool_, {.tokens = 5, .stop = stop.get_token()}), 51U);
  EXPECT_EQ(through, 51);
  EXPECT_EQ(begun, 51);
}

TEST_P(Pipelines, StagesMayForkAndRunPipelines) {
  std::atomic<int> sum{0};
  auto line = heist::make_pipeline(
      numbers{20}, heist::in_order([&](std::unique_ptr<int> p) {
        heist::make_pipeline(numbers{*p}, heist::in_parallel([&](std::unique_ptr<int>) { ++sum; }))
            .run({.tokens = 3});
        return p;
      }),
      heist::in_parallel([&](const std::unique_ptr<int>& p) {
        const auto [a, b] = heist::fork_join([&] { return *p; }, [] { return 1; });
        sum += a + b;
      }));
  line.run(pool_, {.tokens = 6});
  EXPECT_EQ(sum, 190 + 190 + 20);
}

TEST_P(Pipelines, NoTokensAreRefused) {
  auto line = heist::make_pipeline(numbers{1}, heist::in_parallel([](std::unique_ptr<int>) {}));
  EXPECT_THROW(line.run(pool_, {.tokens = 0}), heist::usage_error);
}

}  // namespace
}  // namespace heist_test
