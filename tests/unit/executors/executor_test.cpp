// heist::executor calls every function that it gets once, on a worker of its pool.
#include "heist/executor.hpp"

#include <atomic>
#include <memory>
#include <type_traits>

#include "heist/sync/latch.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<heist::executor>);
static_assert(sizeof(heist::executor) == sizeof(void*));

class Executors : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Executors, testing::ValuesIn(few_pools()), name_of);

TEST_P(Executors, EverythingIsCalledOnce) {
  const int n = scaled(5000);
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(3 * n));
  {
    heist::pool pool({.workers = GetParam().workers});
    const heist::executor on(pool);
    const auto call = [&](int i) {
      on.execute([&calls, i] { calls[static_cast<std::size_t>(i)].fetch_add(1); });
    };
    std::thread other([&] {
      for (int i = 0; i < n; ++i) call(i);
    });
    for (int i = n; i < 2 * n; ++i) call(i);
    pool.run([&] {
      for (int i = 2 * n; i < 3 * n; ++i) call(i);
    });
    other.join();
  }  // the pool waits for all of it
  for (const auto& c : calls) ASSERT_EQ(c.load(), 1);
}

TEST_P(Executors, ItIsCalledOnAWorkerAndMayForkAndExecute) {
  heist::latch done(2);
  std::atomic<bool> on_worker{true};
  const heist::executor on(pool_);
  on.execute([&] {
    if (heist::this_worker::index() < 0) on_worker = false;
    heist::fork_join([] {}, [] {});
    on.execute([&] { done.count_down(); });
    done.count_down();
  });
  done.wait();
  EXPECT_TRUE(on_worker);
}

TEST_P(Executors, MoveOnlyFunctionsAndWhatTheyHold) {
  const heist::executor on(pool_);
  heist::latch done(1);
  auto number = std::make_unique<int>(5);
  int seen = 0;
  on.execute([&, n = std::move(number)] {
    seen = *n;
    done.count_down();
  });
  done.wait();
  EXPECT_EQ(seen, 5);
}

TEST_P(Executors, EqualIfOfOnePool) {
  heist::pool other({.workers = 1});
  const heist::executor on(pool_);
  EXPECT_TRUE(on == heist::executor(pool_));
  EXPECT_FALSE(on == heist::executor(other));
  EXPECT_EQ(&on.where(), &pool_);
}

TEST(ExecutorDeath, AnExceptionEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        heist::pool pool({.workers = 1});
        heist::executor(pool).execute([] { throw 1; });
      },
      "");
}

}  // namespace
}  // namespace heist_test
