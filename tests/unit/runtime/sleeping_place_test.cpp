// The processor of a woken worker: whenever a worker is awake, its mask is unchanged.
#include "runtime/core/sleeping_place.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "platform/cpu_count.hpp"
#include "platform/thread.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::detail::sleeping_places;
using heist::platform::affinity_cpus;

// This thread plays two workers, of which the second sleeps.
class SleepingPlaces : public testing::Test {
 protected:
  SleepingPlaces() { places_.open_for(threads_, static_cast<unsigned>(threads_.size())); }

  // What worker 0 does to wake worker 1. How many processors worker 1 had meanwhile, if it was the
  // one to be woken; 0 otherwise.
  std::size_t wake() {
    std::size_t had = 0;
    places_.wake_elsewhere(0, [&](int sleeper) {
      if (sleeper == 1) had = affinity_cpus().size();
      return true;
    });
    EXPECT_EQ(affinity_cpus(), whole_);
    return had;
  }

  // Repeats until it happens on one processor.
  [[nodiscard]] bool wake_up_beside_the_waker() {
    return eventually([this] {
      places_.enter(1);
      const bool moved = wake() != 0;
      places_.leave(1);
      return moved;
    });
  }

  const std::vector<int> whole_ = affinity_cpus();
  const std::vector<pid_t> threads_{heist::platform::thread_id(), heist::platform::thread_id()};
  sleeping_places places_;
};

TEST_F(SleepingPlaces, NobodyIsMovedWhereTheSystemDoesWell) {
  places_.enter(1);
  EXPECT_EQ(wake(), 0U);
  places_.leave(1);
}

TEST_F(SleepingPlaces, ASleeperIsMovedAfterOneWokeUpBesideItsWaker) {
  if (whole_.size() < 2) GTEST_SKIP() << "one processor";
  ASSERT_TRUE(wake_up_beside_the_waker());
  places_.enter(1);
  EXPECT_EQ(wake(), whole_.size() - 1);
  EXPECT_EQ(wake(), whole_.size() - 1) << "another took the wake-up, and it still sleeps";
  places_.leave(1);
}

TEST_F(SleepingPlaces, WhoeverIsAwakeIsLeftAlone) {
  if (whole_.size() < 2) GTEST_SKIP() << "one processor";
  ASSERT_TRUE(wake_up_beside_the_waker());
  EXPECT_EQ(wake(), 0U);
}

TEST_F(SleepingPlaces, TwoWakersDontMoveTheSameSleeper) {
  if (whole_.size() < 2) GTEST_SKIP() << "one processor";
  ASSERT_TRUE(wake_up_beside_the_waker());
  places_.enter(1);
  bool inner_moved = true;
  places_.wake_elsewhere(0, [&](int) {
    return places_.wake_elsewhere(0, [&](int sleeper) {
      inner_moved = sleeper >= 0;
      return true;
    });
  });
  EXPECT_FALSE(inner_moved);
  places_.leave(1);
}

TEST(SleepingPlace, AWorkerThatRunsHasItsWholeMask) {
  const watchdog guard("pools that sleep and are woken");
  const std::size_t whole = affinity_cpus().size();
  for (const unsigned workers : {2U, 3U, 8U}) {
    heist::pool pool({.workers = workers});
    for (int round = 0; round < scaled(200); ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      pool.run([&] {
        heist::parallel_for(0, 16, [&](int) {
          linger(std::chrono::microseconds(20));
          EXPECT_EQ(affinity_cpus().size(), whole);
        });
      });
    }
  }
}

}  // namespace
}  // namespace heist_test
