// Floating-point modes belong to a flow of control: a spawner keeps its modes on the thread that
// resumes it.
#include <array>
#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "heist/detail/waiting.hpp"
#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::scope;
using heist::task_scope;
using heist::detail::wait_point;

class FloatModes : public testing::TestWithParam<unsigned> {
 protected:
  heist::pool pool_{{.workers = GetParam()}};
  const watchdog guard_{"floating-point modes"};
};

// The spawner's modes hold for the child and, on any thread, for the spawner's continuation.
TEST_P(FloatModes, RoundingGoesWithTheSpawner) {
  constexpr std::array modes{FE_UPWARD, FE_TONEAREST, FE_DOWNWARD, FE_DOWNWARD, FE_TOWARDZERO};
  pool_.run([&] {
    for (int round = 0; round < scaled(50); ++round) {
      std::array<wait_point, modes.size()> points;
      scope([&](task_scope& s) {
        for (std::size_t i = 0; i < modes.size(); ++i) {
          for (int warm = 0; warm < 3; ++warm) s.spawn([] {});
          std::fesetround(modes[i]);
          s.spawn([&, i] {
            EXPECT_EQ(std::fegetround(), modes[i]);
            if (i % 2 == 0) points[i].wait();  // until the continuation runs
            EXPECT_EQ(std::fegetround(), modes[i]);
          });
          EXPECT_EQ(std::fegetround(), modes[i]);
          points[i].end();
        }
      });
      EXPECT_EQ(std::fegetround(), modes.back());
      std::fesetround(FE_TONEAREST);
    }
  });
}

// A fork passes no modes on, and the forking function keeps its own across the join.
TEST(ForkedFloatModes, AStolenFunctionHasThoseThePoolWasMadeUnder) {
  if (is_serial()) GTEST_SKIP() << "nothing is stolen";
  const watchdog guard("floating-point modes of a stolen function");
  std::fesetround(FE_UPWARD);
  heist::pool pool({.workers = 2});
  std::fesetround(FE_TONEAREST);
  pool.run([] {
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_DOWNWARD);
    signal_flag begun;
    int seen = -1;
    const bool stolen = std::get<0>(heist::fork_join([&] { return begun.wait(); },
                                                     [&] {
                                                       seen = std::fegetround();
                                                       begun.raise();
                                                     }));
    EXPECT_TRUE(stolen);
    EXPECT_EQ(seen, FE_UPWARD);
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
    std::fesetround(FE_UPWARD);
  });
}

// The caller's own thread runs the function and makes fibers, under the pool's modes.
TEST(CallersFloatModes, AreTheirsAgainAfterTheCall) {
  if (is_serial()) GTEST_SKIP() << "a serial run has no workers";
  const watchdog guard("floating-point modes of a caller");
  heist::pool pool({.workers = 1});
  std::fesetround(FE_DOWNWARD);
  const auto here = std::this_thread::get_id();
  EXPECT_TRUE(eventually([&] {
    return pool.run([&] {
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      return std::this_thread::get_id() == here;
    });
  }));
  for (int i = 0; i < 10; ++i) {
    pool.run([] {
      EXPECT_EQ(std::fegetround(), FE_TONEAREST) << "on a fiber that a guest has used";
      std::fesetround(FE_UPWARD);
    });
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
  }
  std::fesetround(FE_TONEAREST);
}

#if defined(__x86_64__)
TEST_P(FloatModes, FlushingToZeroSetBeforeTheScopeGoesWithTheSpawner) {
  pool_.run([] {
    for (int round = 0; round < scaled(50); ++round) {
      const unsigned before = _mm_getcsr();
      const unsigned mode = round % 2 == 0 ? _MM_FLUSH_ZERO_ON : _MM_FLUSH_ZERO_OFF;
      _MM_SET_FLUSH_ZERO_MODE(mode);
      std::array<wait_point, 3> points;
      scope([&](task_scope& s) {
        for (wait_point& p : points) {
          for (int warm = 0; warm < 3; ++warm) s.spawn([] {});
          s.spawn([&p, mode] {
            p.wait();
            EXPECT_EQ(_MM_GET_FLUSH_ZERO_MODE(), mode);
          });
          EXPECT_EQ(_MM_GET_FLUSH_ZERO_MODE(), mode);
          p.end();
        }
      });
      EXPECT_EQ(_MM_GET_FLUSH_ZERO_MODE(), mode);
      _mm_setcsr(before);
    }
  });
}
#endif

INSTANTIATE_TEST_SUITE_P(Workers, FloatModes, testing::Values(1U, 2U, 3U, 8U, 32U));

}  // namespace
}  // namespace heist_test
