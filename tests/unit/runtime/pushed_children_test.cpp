// Children of spawn_kind::child: closures that lie in the slot of their entry and closures that are
// too large for it, exceptions, stops, views, and steals.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "heist/detail/pushed_child.hpp"
#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::scope;
using heist::spawn_kind;
using heist::task_scope;

// A closure of that many bytes, which counts its lives, copies and calls.
template <std::size_t Bytes, std::size_t Alignment = alignof(void*)>
struct alignas(Alignment) sized {
  struct counts {
    std::atomic<long> alive{0};
    std::atomic<long> calls{0};
    std::atomic<long> misplaced{0};
  };
  explicit sized(counts& to) : to_(&to) { ++to_->alive; }
  sized(const sized& other) noexcept : to_(other.to_) { ++to_->alive; }
  ~sized() { --to_->alive; }
  void operator()() const {
    ++to_->calls;
    if (reinterpret_cast<std::uintptr_t>(this) % Alignment != 0) ++to_->misplaced;
  }

 private:
  counts* to_;
  [[maybe_unused]] std::array<char, Bytes - sizeof(void*)> rest_{};
};

static_assert(heist::detail::pushed_in_slot<sized<24>>);
static_assert(!heist::detail::pushed_in_slot<sized<25>>);
static_assert(!heist::detail::pushed_in_slot<sized<32>>);
static_assert(!heist::detail::pushed_in_slot<sized<16, 16>>);

struct setting {
  unsigned workers;
  heist::deque_kind deque = heist::deque_kind::split;
};

class PushedChildren : public testing::TestWithParam<setting> {
 protected:
  heist::pool pool_{{.workers = GetParam().workers, .fork_depth = 64, .deque = GetParam().deque}};
  const watchdog guard_{"pushed children"};
};

template <class Closure>
void run_and_skip(heist::pool& pool) {
  typename Closure::counts counts;
  long expected = 0;
  std::uint64_t skipped = 0;
  pool.run([&] {
    for (int round = 0; round < scaled(50); ++round) {
      const Closure kept(counts);
      scope(spawn_kind::child, [&](task_scope& s) {
        // More than the deque holds: the later ones begin later.
        for (int i = 0; i < 80; ++i) i % 2 == 0 ? s.spawn(kept) : s.spawn(Closure(counts));
      });
      expected += 80;
      scope(spawn_kind::child, [&](task_scope& s) {
        for (int i = 0; i < 80; ++i) s.spawn(kept);
        s.request_stop();
        s.sync();
        skipped += s.skipped();
        expected += 80;
      });
    }
  });
  EXPECT_EQ(counts.calls + static_cast<long>(skipped), expected);
  EXPECT_EQ(counts.misplaced, 0);
  EXPECT_EQ(counts.alive, 0);
}

TEST_P(PushedChildren, OfEverySizeRunOnceOrAreSkippedAndAreDestroyed) {
  run_and_skip<sized<8>>(pool_);
  run_and_skip<sized<24>>(pool_);
  run_and_skip<sized<25>>(pool_);
  run_and_skip<sized<200>>(pool_);
}

TEST_P(PushedChildren, ThatAreAlignedWiderThanASlotLieAligned) {
  run_and_skip<sized<16, 16>>(pool_);
  run_and_skip<sized<64, 64>>(pool_);
}

TEST_P(PushedChildren, CopyEachByteOfATrivialClosure) {
  pool_.run([] {
    for (int round = 0; round < scaled(100); ++round) {
      std::array<std::atomic<long>, 40> sums{};
      scope(spawn_kind::child, [&](task_scope& s) {
        for (long i = 0; i < 40; ++i) {
          std::array<char, 8> eight{};
          std::array<char, 15> fifteen{};
          eight.back() = fifteen.back() = static_cast<char>(i);
          s.spawn([&sum = sums[static_cast<std::size_t>(i)], i, k = 3 * i] { sum += i + k; });
          s.spawn([&sum = sums[static_cast<std::size_t>(i)], eight] { sum += eight.back(); });
          s.spawn([&sum = sums[static_cast<std::size_t>(i)], fifteen] { sum += fifteen.back(); });
        }
      });
      for (long i = 0; i < 40; ++i) ASSERT_EQ(sums[static_cast<std::size_t>(i)], 6 * i);
    }
  });
}

TEST_P(PushedChildren, MayHoldWhatCannotBeCopied) {
  std::atomic<long> sum{0};
  pool_.run([&] {
    scope(spawn_kind::child, [&](task_scope& s) {
      for (int i = 0; i < 100; ++i) {
        s.spawn([&sum, one = std::make_unique<int>(i)] { sum += *one; });
        s.spawn([&sum, one = std::make_unique<int>(i), filler = std::array<long, 4>{}] {
          sum += *one + filler.back();
        });
      }
    });
  });
  EXPECT_EQ(sum, 2L * 99 * 100 / 2);
}

// The pool's deques have 64 places at most.
TEST_P(PushedChildren, ThatTheDequeRefusesMayWaitForTheirSpawner) {
  static constexpr int n = tsan || asan ? 100 : 200;
  pool_.run([] {
    for (int round = 0; round < scaled(20); ++round) {
      heist::latch open(1);
      heist::counting_semaphore<> turns(0);
      std::atomic<int> ended{0};
      scope(spawn_kind::child, [&](task_scope& s) {
        for (int i = 0; i < n; ++i) {
          s.spawn([&] {
            open.wait();
            ++ended;
          });
          s.spawn([&, filler = std::array<long, 4>{}] {
            turns.acquire();
            ended += 1 + static_cast<int>(filler.back());
          });
        }
        open.count_down();
        turns.release(n);
      });
      ASSERT_EQ(ended, 2 * n);
    }
  });
}

TEST_P(PushedChildren, ThatTheDequeRefusesThrowInTheirOrder) {
  pool_.run([] {
    for (int round = 0; round < scaled(20); ++round) {
      try {
        scope(spawn_kind::child, [&](task_scope& s) {
          for (int i = 0; i < 200; ++i)
            s.spawn([i] {
              if (i >= 100) throw i;
            });
        });
        FAIL() << "nothing was thrown";
      } catch (int first) {
        ASSERT_EQ(first, 100);
      }
    }
  });
}

struct throws_when_moved {
  std::shared_ptr<int> counted;
  int* moves_left;
  throws_when_moved(std::shared_ptr<int> c, int* left) : counted(std::move(c)), moves_left(left) {}
  throws_when_moved(throws_when_moved&& other) : moves_left(other.moves_left) {
    if ((*moves_left)-- == 0) throw std::runtime_error("moved");
    counted = std::move(other.counted);
  }
  void operator()() const { ++*counted; }
};
static_assert(!heist::detail::pushed_in_slot<throws_when_moved>);

TEST_P(PushedChildren, WhoseMoveThrowsLeaveNothingBehind) {
  const auto counted = std::make_shared<int>(0);
  pool_.run([&] {
    for (int moves = 0; moves < 2; ++moves) {
      int left = moves;
      EXPECT_THROW(scope(spawn_kind::child,
                         [&](task_scope& s) {
                           s.spawn([] {});
                           s.spawn(throws_when_moved(counted, &left));
                         }),
                   std::runtime_error);
    }
    int left = 100;
    scope(spawn_kind::child, [&](task_scope& s) { s.spawn(throws_when_moved(counted, &left)); });
  });
  EXPECT_EQ(*counted, 1);
  EXPECT_EQ(counted.use_count(), 1);
}

template <std::size_t Words>
struct throws_when_destroyed {
  std::array<bool*, Words> ran;
  explicit throws_when_destroyed(bool* flag) { ran.fill(flag); }
  throws_when_destroyed(throws_when_destroyed&& other) noexcept : ran(other.ran) {
    other.ran[0] = nullptr;
  }
  ~throws_when_destroyed() noexcept(false) {
    if (ran[0] != nullptr && *ran[0]) throw std::runtime_error("destroyed");
  }
  void operator()() const { *ran[0] = true; }
};

TEST_P(PushedChildren, WhoseDestructorThrowsCountAsThrown) {
  pool_.run([] {
    bool small = false;
    bool large = false;
    EXPECT_THROW(
        scope(spawn_kind::child, [&](task_scope& s) { s.spawn(throws_when_destroyed<1>(&small)); }),
        std::runtime_error);
    EXPECT_THROW(
        scope(spawn_kind::child, [&](task_scope& s) { s.spawn(throws_when_destroyed<9>(&large)); }),
        std::runtime_error);
    EXPECT_TRUE(small && large);
  });
}

TEST_P(PushedChildren, TheFirstSpawnedThatThrowsWins) {
  pool_.run([] {
    for (int round = 0; round < scaled(200); ++round) {
      std::array<long, 5> filler{};
      std::atomic<int> begun{0};
      try {
        scope(spawn_kind::child, [&](task_scope& s) {
          for (int i = 0; i < 20; ++i) {
            const auto child = [&begun, i] {
              ++begun;
              if (i == 5 || i == 6 || i == 17) throw std::runtime_error(std::to_string(i));
            };
            if (i % 2 == 0)
              s.spawn(child);
            else
              s.spawn([child, filler] { filler.empty() ? void() : child(); });
          }
        });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        ASSERT_STREQ(e.what(), "5");
      }
      ASSERT_GE(begun, 6);  // those before the one whose exception came
    }
  });
}

TEST_P(PushedChildren, AStopInTheMiddleSkipsWhatHasNotBegun) {
  pool_.run([this] {
    for (int round = 0; round < scaled(200); ++round) {
      std::atomic<unsigned> ran{0};
      scope(spawn_kind::child, [&](task_scope& s) {
        for (int i = 0; i < 40; ++i)
          s.spawn([&, i] {
            ++ran;
            if (i == 20) s.request_stop();
          });
        s.sync();
        ASSERT_EQ(ran + s.skipped(), 40U);
        if (pool_.workers() == 1) {
          ASSERT_EQ(ran, 20U);  // 39 to 20
        }
        s.spawn([&] { ++ran; });
        s.sync();
        ASSERT_EQ(ran + s.skipped(), 41U);
      });
    }
  });
}

// Children fork, spawn into their own scopes and into the same one, below and above one another.
long tree(task_scope& outer, std::atomic<long>& leaves, int depth) {
  if (depth == 0) return ++leaves, 1;
  std::atomic<long> sum{0};
  scope(spawn_kind::child, [&](task_scope& s) {
    s.spawn([&, depth] { sum += tree(s, leaves, depth - 1); });
    s.spawn([&sum, &leaves, &s, depth, filler = std::array<long, 3>{}] {
      sum += tree(s, leaves, depth - 1) + filler[0];
    });
    const auto [a, b] =
        heist::fork_join([&] { return tree(s, leaves, depth - 1); }, [] { return 0L; });
    sum += a + b;
    if (depth % 2 == 0) outer.spawn([&leaves] { ++leaves; });  // not from that scope's own function
    s.sync();
    s.spawn([&sum] { ++sum; });
  });
  return sum;
}

TEST_P(PushedChildren, NestAndAreStolen) {
  const int depth = tsan ? 5 : 7;
  for (int round = 0; round < scaled(20); ++round) {
    std::atomic<long> leaves{0};
    const long sum = scope(pool_, [&](task_scope& s) { return tree(s, leaves, depth); });
    long nodes = 0;
    long even = 0;
    long power = 1;
    for (int d = depth; d > 0; --d, power *= 3) {
      nodes += power;
      if (d % 2 == 0) even += power;
    }
    ASSERT_EQ(sum, power + nodes);
    ASSERT_EQ(leaves, power + even);
  }
}

TEST_P(PushedChildren, KeepTheOwnersViewsApart) {
  pool_.run([] {
    for (int round = 0; round < scaled(50); ++round) {
      heist::reducer<std::string> text;
      scope(spawn_kind::child, [&](task_scope& s) {
        text.view() += "a";
        for (int i = 0; i < 8; ++i) s.spawn([] {});
        text.view() += "b";
        s.sync();
        text.view() += "c";
      });
      ASSERT_EQ(text.get(), "abc");
    }
  });
}

std::vector<setting> settings() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 8U, 32U}) all.push_back({workers});
  for (const heist::deque_kind kind : heist::all_deque_kinds)
    if (kind != heist::deque_kind::split) all.push_back({3, kind});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Pools, PushedChildren, testing::ValuesIn(settings()), [](const auto& p) {
  return std::to_string(p.param.workers) + "_" + std::string(to_string(p.param.deque));
});

}  // namespace
}  // namespace heist_test
