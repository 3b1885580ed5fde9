// HEIST_CHECK=moves: joins move, results and exceptions stay those of a serial run.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

// The variable is read when a pool is made.
class Moves : public testing::TestWithParam<unsigned> {
 protected:
  Moves() { ::setenv("HEIST_CHECK", "moves", 1); }
  ~Moves() override {
    if (before_.empty())
      ::unsetenv("HEIST_CHECK");
    else
      ::setenv("HEIST_CHECK", before_.c_str(), 1);
  }

 private:
  const char* const set_ = std::getenv("HEIST_CHECK");
  const std::string before_ = set_ == nullptr ? "" : set_;
};

struct join_counts {
  std::atomic<long> all{0};
  std::atomic<long> moved{0};
};

template <class F, class G>
auto counted_join(join_counts& count, F f, G g) {
  const int before = heist::this_worker::index();
  auto results = heist::fork_join(f, g);
  ++count.all;
  if (heist::this_worker::index() != before) ++count.moved;
  return results;
}

long fib(join_counts& count, int n) {
  if (n < 2) return n;
  const auto [a, b] = counted_join(
      count, [&count, n] { return fib(count, n - 1); }, [&count, n] { return fib(count, n - 2); });
  return a + b;
}

// Without the check, less than one join in a hundred moves in either test.
TEST_P(Moves, AJoinWhoseOtherHalfAnIdleWorkerCanTake) {
  heist::pool pool({.workers = GetParam()});
  join_counts count;
  pool.run([&] {
    for (int i = 0; i < 200; ++i) {
      const auto [a, b] = counted_join(
          count, [i] { return i; }, [i] { return 2 * i; });
      EXPECT_EQ(a + b, 3 * i);
    }
  });
  EXPECT_GT(count.moved, count.all / 10);
}

TEST_P(Moves, AJoinWhileAllWorkersAreBusy) {
  heist::pool pool({.workers = GetParam()});
  join_counts count;
  EXPECT_EQ(pool.run([&] { return fib(count, 16); }), 987);
  EXPECT_GT(count.moved, count.all / 40);
}

TEST_P(Moves, ScopesLoopsAndExceptionsAreRight) {
  heist::pool pool({.workers = GetParam()});
  pool.run([] {
    std::atomic<int> ran{0};
    heist::scope([&](heist::task_scope& s) {
      for (int i = 0; i < 50; ++i)
        s.spawn([&] { heist::fork_join([&] { ++ran; }, [&] { ++ran; }); });
    });
    heist::parallel_for(0, 100, [&](int) { ++ran; });
    EXPECT_EQ(ran, 200);
    EXPECT_THROW(heist::fork_join([] { throw std::runtime_error("expected"); }, [] {}),
                 std::runtime_error);
    EXPECT_THROW(heist::fork_join([] {}, [] { throw std::runtime_error("expected"); }),
                 std::runtime_error);
  });
}

INSTANTIATE_TEST_SUITE_P(Workers, Moves, testing::Values(2U, 3U, 8U),
                         testing::PrintToStringParamName());

TEST(MovesOnOneWorker, ResultsAreRight) {
  ::setenv("HEIST_CHECK", "moves", 1);
  heist::pool pool({.workers = 1});
  ::unsetenv("HEIST_CHECK");
  join_counts count;
  EXPECT_EQ(pool.run([&] { return fib(count, 12); }), 144);
}

}  // namespace
}  // namespace heist_test
