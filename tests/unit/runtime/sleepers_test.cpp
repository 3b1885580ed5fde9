// Tests who sleeps and who is woken, without a pool.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "platform/cpu_count.hpp"
#include "platform/thread.hpp"
#include "runtime/core/seat.hpp"
#include "runtime/core/sleepers.hpp"
#include "runtime/core/sleeping_place.hpp"
#include "runtime/core/wake_cost.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::detail::sleepers;
const auto no_mail = [] { return false; };
heist::detail::basic_seat<heist::detail::std_parking>* const no_seat = nullptr;

TEST(Sleepers, NobodyIsWokenWhenNobodySleeps) {
  sleepers s;
  EXPECT_FALSE(s.any());
  EXPECT_FALSE(s.wake_one());
  s.wake_all();
}

TEST(Sleepers, AWakeUpBetweenAnnouncementAndSleepIsKept) {
  sleepers s;
  s.announce();
  EXPECT_TRUE(s.any());
  EXPECT_TRUE(s.wake_one());
  EXPECT_FALSE(s.any()) << "counted out at once";
  EXPECT_FALSE(s.wake_one());
  s.wait(no_seat, no_mail);
}

TEST(Sleepers, WhoeverTakesItselfOutIsNotWoken) {
  sleepers s;
  s.announce();
  s.retract();
  EXPECT_FALSE(s.wake_one());
  s.announce();
  EXPECT_TRUE(s.wake_one());
  s.retract();  // with the token that was made for it
  s.announce();
  EXPECT_FALSE(s.wait_for(no_seat, std::chrono::milliseconds(1), no_mail))
      << "a token was left over";
  EXPECT_TRUE(s.any()) << "still announced";
  s.retract();
}

// Two workers sleep, and one of them has mail. The other one is quicker, goes to sleep again and
// takes the second token too; the mail is found nevertheless.
TEST(Sleepers, MailIsFoundThoughAnotherTookTheToken) {
  const watchdog guard("mail");
  for (int round = 0; round < scaled(2000); ++round) {
    sleepers s;
    std::atomic<bool> mail{false};
    s.announce();
    s.announce();
    std::thread home(
        [&] { s.wait(no_seat, [&] { return mail.load(std::memory_order_relaxed); }); });
    if (round % 2 == 0) linger(std::chrono::microseconds(100));
    mail.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    s.wake_all();
    while (s.wait_for(no_seat, std::chrono::nanoseconds(0), no_mail)) s.announce();
    home.join();
  }
}

TEST(Sleepers, EveryTokenWakesOne) {
  const watchdog guard("tokens");
  for (int round = 0; round < scaled(500); ++round) {
    sleepers s;
    constexpr int threads = 4;
    std::thread all[threads];
    for (auto& thread : all) {
      s.announce();
      thread = std::thread([&s] { s.wait(no_seat, no_mail); });
    }
    for (int i = 0; i < threads; ++i) EXPECT_TRUE(s.wake_one());
    EXPECT_FALSE(s.wake_one());
    for (auto& thread : all) thread.join();
  }
}

// ---- The processor of a woken worker: whenever a worker is awake, its mask is unchanged.

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

// ---- How a pool learns what its wake-ups cost.

using heist::detail::wake_cost;
using std::chrono::microseconds;

void wake(wake_cost& c, microseconds took) {
  const auto now = wake_cost::clock::now();
  c.begin(now);
  c.arrive(now + took);
}

TEST(WakeCost, FollowsWhatIsMeasured) {
  wake_cost c;
  for (int i = 0; i < 100; ++i) wake(c, microseconds(50));
  EXPECT_NEAR(static_cast<double>(c.average().count()), 50e3, 1e3);
  for (int i = 0; i < 100; ++i) wake(c, microseconds(15));
  EXPECT_NEAR(static_cast<double>(c.average().count()), 15e3, 1e3);
}

TEST(WakeCost, IsBounded) {
  wake_cost c;
  for (int i = 0; i < 100; ++i) wake(c, std::chrono::seconds(1));
  EXPECT_LE(c.average(), wake_cost::greatest);
  for (int i = 0; i < 200; ++i) wake(c, microseconds(0));
  EXPECT_GE(c.average(), wake_cost::least);
  EXPECT_LE(c.average(), wake_cost::least + microseconds(1));
}

TEST(WakeCost, OfSeveralArrivalsTheFirstCounts) {
  wake_cost c;
  const auto now = wake_cost::clock::now();
  c.begin(now);
  c.arrive(now + microseconds(20));
  const auto before = c.average();
  c.arrive(now + microseconds(100));
  EXPECT_EQ(c.average(), before);
}

}  // namespace
}  // namespace heist_test
