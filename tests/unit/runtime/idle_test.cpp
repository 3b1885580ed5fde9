// Workers without work sleep, cost nothing, and are woken whenever there is work.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using std::chrono::milliseconds;

// The time that each thread of the pool called `name` has run, in nanoseconds, as the kernel counts
// it. Empty where it doesn't.
std::map<std::string, std::uint64_t> time_of_threads(const std::string& name) {
  std::map<std::string, std::uint64_t> times;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string called;
    std::getline(std::ifstream(thread.path() / "comm"), called);
    std::uint64_t ns = 0;
    if (called.starts_with(name) && std::ifstream(thread.path() / "schedstat") >> ns)
      times[thread.path().filename()] = ns;
  }
  return times;
}

TEST(Idle, AParkedPoolUsesNoProcessor) {
  if (tsan) GTEST_SKIP() << "its parked threads look for signals now and then (park.cpp)";
  heist::pool pool({.workers = 8, .name = "parked"});
  pool.run([] { heist::fork_join([] {}, [] {}); });
  if (time_of_threads("parked").size() != 8) GTEST_SKIP() << "no /proc/self/task/N/schedstat";
  ASSERT_TRUE(eventually([&] { return pool.stats().total.parks >= 8; }));
  // A worker naps before it sleeps for as long as nothing happens, and a loaded machine may let it
  // wait for that.
  std::map<std::string, std::uint64_t> before;
  EXPECT_TRUE(eventually([&before] {
    std::this_thread::sleep_for(milliseconds(300));
    const auto last = std::exchange(before, time_of_threads("parked"));
    return before == last;
  })) << "some worker ran in each 300 ms of 30 s";
}

// All workers sleep; a fork then has to wake one, since f waits until g has begun elsewhere.
class WakeUp : public testing::TestWithParam<std::tuple<unsigned, heist::deque_kind>> {};

TEST_P(WakeUp, AForkWakesASleeper) {
  const auto [workers, deque] = GetParam();
  const watchdog guard("a fork that wakes a sleeper, " + std::to_string(workers) + " workers");
  heist::pool pool({.workers = workers, .deque = deque});
  const int rounds = scaled(2000);
  for (int round = 0; round < rounds; ++round) {
    if (round % 50 == 0) std::this_thread::sleep_for(milliseconds(1));
    ASSERT_TRUE(pool.run([] {
      signal_flag begun;
      return std::get<0>(heist::fork_join([&] { return begun.wait(); }, [&] { begun.raise(); }));
    })) << "round "
        << round;
  }
}

// There are as many functions as workers, all at the same time: each fork except the first needs
// another worker.
TEST_P(WakeUp, EnoughForksWakeEverybody) {
  const auto [workers, deque] = GetParam();
  const watchdog guard("forks that wake all " + std::to_string(workers) + " workers");
  heist::pool pool({.workers = workers, .deque = deque});
  struct gathering {
    std::atomic<unsigned> here{0};
    unsigned wanted;
    bool meet() {
      here.fetch_add(1, std::memory_order_relaxed);
      return eventually([this] { return here.load(std::memory_order_relaxed) == wanted; });
    }
    bool fork(unsigned n) {
      if (n == 1) return meet();
      const auto [a, b] = heist::fork_join([=, this] { return fork(n - n / 2); },
                                           [=, this] { return fork(n / 2); });
      return a && b;
    }
  };
  for (int round = 0; round < scaled(300); ++round) {
    if (round % 20 == 0) std::this_thread::sleep_for(milliseconds(1));
    gathering all;
    all.wanted = workers;
    ASSERT_TRUE(pool.run([&] { return all.fork(all.wanted); })) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, WakeUp,
                         testing::Combine(testing::Values(2U, 3U, 8U),
                                          testing::ValuesIn(heist::all_deque_kinds)),
                         [](const auto& p) {
                           return std::to_string(std::get<0>(p.param)) + "_" +
                                  std::string(to_string(std::get<1>(p.param)));
                         });

TEST(Idle, RootsAfterPausesOfAnyLengthAreRun) {
  const unsigned seed = std::random_device{}();
  const watchdog guard("ping-pong, seed " + std::to_string(seed));
  heist::pool pool({.workers = 2});
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([&pool, seed, t] {
      std::mt19937 random(seed + t);
      for (int i = 0; i < scaled(2000); ++i) {
        const auto pause = std::chrono::microseconds(random() % 120);
        if (random() % 4 != 0) std::this_thread::sleep_for(pause);
        const int wanted = static_cast<int>(random() % 1000);
        ASSERT_EQ(pool.run([=] { return wanted; }), wanted) << "seed " << seed;
      }
    });
  for (auto& thread : threads) thread.join();
}

// One worker runs a leaf while its deque has private jobs; the leaf ends when others have run them
// all.
void fork_above_leaf(int jobs, std::atomic<int>& ran, int all) {
  if (jobs == 0) {
    EXPECT_TRUE(eventually([&] { return ran.load(std::memory_order_relaxed) == all; }));
    return;
  }
  heist::fork_join([&, jobs] { fork_above_leaf(jobs - 1, ran, all); },
                   [&] { ran.fetch_add(1, std::memory_order_relaxed); });
}

class LongLeaf : public testing::TestWithParam<unsigned> {};

TEST_P(LongLeaf, PrivateJobsAreTakenWhileItRuns) {
  const watchdog guard("a long leaf");
  heist::pool pool({.workers = GetParam()});
  for (int round = 0; round < scaled(100); ++round) {
    std::atomic<int> ran{0};
    pool.run([&] { fork_above_leaf(100, ran, 100); });
    ASSERT_EQ(ran.load(std::memory_order_relaxed), 100) << "round " << round;
  }
  EXPECT_GT(pool.stats().total.remote_exposes, 0U);
}

INSTANTIATE_TEST_SUITE_P(Workers, LongLeaf, testing::Values(2U, 3U, 8U));

}  // namespace
}  // namespace heist_test
