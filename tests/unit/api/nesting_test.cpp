// Runs every construct inside every other, also with calls that throw.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <ostream>
#include <random>

#include "tests/stress/budget.hpp"
#include "tests/unit/api/constructs.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {
namespace {

class Outer : public testing::TestWithParam<construct> {};
INSTANTIATE_TEST_SUITE_P(Constructs, Outer, testing::ValuesIn(all_constructs()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Outer, NestsWithEveryInner) {
  const construct& outer = GetParam();
  for (const auto& pool : pools()) {
    for (const construct& inner : all_constructs()) {
      const watchdog guard(outer.name + " of " + inner.name);
      std::atomic<unsigned> calls{0};
      pool->run([&] { outer.run([&] { inner.run([&] { ++calls; }); }); });
      EXPECT_EQ(calls.load(), outer.calls * inner.calls)
          << inner.name << " with " << pool->workers();
    }
  }
}

TEST_P(Outer, RunsOutsideAnyPool) {
  std::atomic<unsigned> calls{0};
  GetParam().run([&] { ++calls; });
  EXPECT_EQ(calls.load(), GetParam().calls);
}

// Chance determines which call throws first, but one exception must arrive, and everything must
// work as before.
TEST_P(Outer, HandsOnWhatACallThrows) {
  const construct& outer = GetParam();
  for (const auto& pool : pools()) {
    for (const construct& inner : all_constructs()) {
      const watchdog guard(outer.name + " of " + inner.name);
      for (unsigned at = 1; at <= outer.calls * inner.calls; at += 1 + at / 4) {
        std::atomic<unsigned> calls{0};
        EXPECT_THROW(pool->run([&] {
          outer.run([&] {
            inner.run([&] {
              if (++calls == at) throw injected_fault{};
            });
          });
        }),
                     injected_fault)
            << inner.name << " with " << pool->workers() << " at call " << at;
        EXPECT_GE(calls.load(), at);
        EXPECT_LE(calls.load(), outer.calls * inner.calls);
      }
      if (HasFailure()) return;
    }
  }
}

// Nests four constructs drawn at random, some with a throw; HEIST_STRESS_SEED repeats a run.
TEST(Nesting, GoesDeep) {
  const std::uint64_t seed = announced_seed();
  std::mt19937_64 random(seed);
  const auto& all = all_constructs();
  for (int round = 0; round < scaled(150); ++round) {
    std::string names;
    unsigned expected = 1;
    std::atomic<unsigned> calls{0};
    const bool throws = random() % 3 == 0;
    body f = [&] {
      if (++calls == 3 && throws) throw injected_fault{};
    };
    for (int depth = 0; depth < 4; ++depth) {
      const construct& c = all[random() % all.size()];
      names += c.name + ' ';
      expected *= c.calls;
      f = [run = c.run, inner = std::move(f)] { run(inner); };
    }
    const watchdog guard(names);
    auto& pool = *pools()[random() % pools().size()];
    try {
      pool.run(f);
      EXPECT_EQ(calls.load(), expected) << names;
      EXPECT_FALSE(throws && expected >= 3) << "lost what a call threw: " << names;
    } catch (const injected_fault&) {
      EXPECT_TRUE(throws) << names;
    }
  }
}

}  // namespace
}  // namespace heist_test
