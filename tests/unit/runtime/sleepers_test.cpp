// Tests who sleeps and who is woken, without a pool.
#include <gtest/gtest.h>
#include <sched.h>

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
  const pid_t never_moved = heist::platform::thread_id();
  const auto mask_of = [](pid_t thread) {
    cpu_set_t set;
    EXPECT_EQ(::sched_getaffinity(thread, sizeof set, &set), 0);
    return set;
  };
  // In any order of events but one in which a processor comes or goes meanwhile.
  const auto has_the_same_mask = [&] {
    for (;;) {
      const cpu_set_t before = mask_of(never_moved);
      const cpu_set_t own = mask_of(0);
      const cpu_set_t after = mask_of(never_moved);
      if (CPU_EQUAL(&before, &after)) return CPU_EQUAL(&own, &after) != 0;
    }
  };
  for (const unsigned workers : {2U, 3U, 8U}) {
    heist::pool pool({.workers = workers});
    for (int round = 0; round < scaled(200); ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      pool.run([&] {
        heist::parallel_for(0, 16, [&](int) {
          linger(std::chrono::microseconds(20));
          EXPECT_TRUE(has_the_same_mask());
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

// ---- Workers without work sleep, cost nothing, and are woken whenever there is work.

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
