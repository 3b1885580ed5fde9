// Priorities of submitted functions: their order on one worker, and each runs once on many.
#include <atomic>
#include <thread>
#include <vector>

#include "heist/future.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

class Priorities : public on_pools {};
INSTANTIATE_TEST_SUITE_P(Pools, Priorities, testing::ValuesIn(few_pools()), name_of);

// The order in which one worker takes what was submitted while it was busy.
TEST(PrioritiesOnOneWorker, OrderWhatWaitsAtTheEntry) {
  if (is_serial()) GTEST_SKIP() << "a submit is a call";
  const watchdog guard("priorities on one worker");
  heist::pool pool({.workers = 1});
  signal_flag begun;
  signal_flag go_on;
  std::vector<int> order;
  auto busy = pool.submit([&] {
    begun.raise();
    EXPECT_TRUE(go_on.wait());
  });
  ASSERT_TRUE(begun.wait());
  std::vector<heist::future<void>> all;
  const auto add = [&](heist::priority p, int n) {
    all.push_back(pool.submit(p, [&order, n] { order.push_back(n); }));
  };
  add(heist::priority::low, 5);
  all.push_back(pool.submit([&order] { order.push_back(3); }));
  add(heist::priority::high, 1);
  add(heist::priority::normal, 4);
  add(heist::priority::high, 2);
  add(heist::priority::low, 6);
  std::stop_source stop;
  all.push_back(pool.submit(stop.get_token(), heist::priority::high, [&] { order.push_back(0); }));
  stop.request_stop();
  go_on.raise();
  busy.get();
  EXPECT_THROW(all.back().get(), heist::cancelled);
  all.pop_back();
  for (auto& f : all) f.get();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

// Both forms, with a stop condition that never stops.
TEST_P(Priorities, TogetherWithAStopCondition) {
  const std::stop_source stop;
  auto one = pool_.submit(stop.get_token(), heist::priority::low, [] { return 1; });
  auto two = pool_.run(
      [&] { return heist::submit(stop.get_token(), heist::priority::high, [] { return 2; }); });
  EXPECT_EQ(one.get() + two.get(), 3);
}

TEST_P(Priorities, EachFunctionRunsOnceWhoeverSubmitsIt) {
  const int n = scaled(300);
  std::vector<std::atomic<int>> ran(static_cast<std::size_t>(6 * n));
  const auto submit_all = [&](int from) {
    std::vector<heist::future<int>> all;
    for (int i = from; i < from + n; ++i)
      all.push_back(pool_.submit(static_cast<heist::priority>(i % 3), [&ran, i] {
        ++ran[static_cast<std::size_t>(i)];
        return i;
      }));
    for (int i = 0; i < n; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)].get(), from + i);
  };
  run_mixed(pool_, 3, 3, [&](int who) { submit_all(who * n); });
  for (const std::atomic<int>& count : ran) ASSERT_EQ(count, 1);
}

}  // namespace
}  // namespace heist_test
