// The processor of a woken worker: whenever a worker is awake, its mask is unchanged.
#include "runtime/sleeping_place.hpp"

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

  // Repeats until it happens on one processor.
  [[nodiscard]] bool wake_up_beside_the_waker() {
    return eventually([this] {
      places_.enter(1);
      const bool moved = places_.move_one(0) >= 0;
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
  EXPECT_LT(places_.move_one(0), 0);
  EXPECT_EQ(affinity_cpus(), whole_);
  places_.leave(1);
}

TEST_F(SleepingPlaces, ASleeperIsMovedAfterOneWokeUpBesideItsWaker) {
  if (whole_.size() < 2) GTEST_SKIP() << "one processor";
  ASSERT_TRUE(wake_up_beside_the_waker());
  places_.enter(1);
  EXPECT_EQ(places_.move_one(0), 1);
  EXPECT_EQ(affinity_cpus().size(), whole_.size() - 1);
  EXPECT_LT(places_.move_one(0), 0) << "it has been moved already";
  places_.leave(1);
  EXPECT_EQ(affinity_cpus(), whole_);
}

TEST_F(SleepingPlaces, WhoeverIsAwakeIsLeftAlone) {
  if (whole_.size() < 2) GTEST_SKIP() << "one processor";
  ASSERT_TRUE(wake_up_beside_the_waker());
  EXPECT_LT(places_.move_one(0), 0);
  EXPECT_EQ(affinity_cpus(), whole_);
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
