// Waits with a time limit: a waiter that gives up leaves nothing behind, and one that is served in
// time succeeds.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <random>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "heist/detail/alarm.hpp"
#include "heist/error.hpp"
#include "heist/sync/channel.hpp"
#include "heist/sync/condition_variable.hpp"
#include "heist/sync/latch.hpp"
#include "heist/sync/mutex.hpp"
#include "heist/sync/semaphore.hpp"
#include "heist/sync/shared_mutex.hpp"
#include "platform/thread.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/sync/support.hpp"

namespace heist_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

// Of all lengths of waits in this process.
const unsigned seed = std::random_device{}();

class Timed : public on_pools {
 protected:
  void TearDown() override {
    if (HasFailure()) std::printf("seed %u\n", seed);
    on_pools::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(Pools, Timed, testing::ValuesIn(all_pools()), name_of);

constexpr int fibers = 10;
constexpr int threads = 3;
constexpr milliseconds soon(3);
constexpr std::chrono::hours late(10);  // the watchdog comes first

// A span about as long as the others hold the lock, so that giving up and being served compete.
class spans {
 public:
  explicit spans(int who) : random_(seed + static_cast<unsigned>(who)) {}
  microseconds next() { return microseconds(random_() % (1U << (random_() % 10))); }

 private:
  std::mt19937 random_;
};

// ---- a waiter that is never served

TEST_P(Timed, WhatIsNeverGrantedIsGivenUpInTime) {
  heist::mutex m;
  heist::shared_mutex s;
  heist::counting_semaphore<> none(0);
  heist::channel<int> channel(0);
  heist::condition_variable changed;
  m.lock();
  s.lock_shared();
  run_mixed(pool_, 4, 2, [&](int) {
    const auto begin = clock::now();
    EXPECT_FALSE(m.try_lock_for(soon));
    EXPECT_FALSE(s.try_lock_for(soon));
    EXPECT_FALSE(none.try_acquire_until(clock::now() + soon));
    EXPECT_FALSE(channel.receive_for(soon));
    EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now() + soon));
    EXPECT_GE(clock::now() - begin,
              5 * soon - milliseconds(1));  // the system's clock is another one
    EXPECT_FALSE(m.try_lock_for(microseconds(-1)));
    EXPECT_FALSE(none.try_acquire_until(clock::time_point::min()));
    heist::mutex own;
    std::unique_lock hold(own);
    EXPECT_FALSE(changed.wait_for(hold, soon));
    EXPECT_FALSE(changed.wait_until(hold, clock::now() + soon, [] { return false; }));
    EXPECT_TRUE(hold.owns_lock());
  });
  EXPECT_FALSE(channel.send_for(1, soon));
  EXPECT_FALSE(channel.is_closed());
  // The waiters that gave up have left nothing behind.
  m.unlock();
  s.unlock_shared();
  EXPECT_TRUE(m.try_lock_for(late));
  EXPECT_TRUE(s.try_lock_for(late));
  s.unlock();
  EXPECT_TRUE(s.try_lock_shared_for(late));
  none.release();
  EXPECT_TRUE(none.try_acquire());
  EXPECT_FALSE(none.try_acquire());
  EXPECT_FALSE(channel.try_send(3));
}

// ---- giving up and being served compete

TEST_P(Timed, AMutexLetsOneInAtATimeWhileOthersGiveUp) {
  const int rounds = scaled(400);
  heist::mutex m;
  long sum = 0;
  std::atomic<long> entered{0};
  run_mixed(pool_, fibers, threads, [&](int who) {
    spans span(who);
    for (int i = 0; i < rounds; ++i) {
      if (who % 3 == 0)
        m.lock();
      else if (!m.try_lock_for(span.next()))
        continue;
      ++sum;
      if (i % 16 == 0) linger(microseconds(20));
      m.unlock();
      ++entered;
    }
  });
  EXPECT_EQ(sum, entered);
  EXPECT_GE(sum, long{rounds} * ((fibers + threads) / 3));
  EXPECT_TRUE(m.try_lock());
}

TEST_P(Timed, ASemaphoreLosesNoPermitAndMakesNone) {
  const int rounds = scaled(400);
  constexpr int permits = 3;
  heist::counting_semaphore<> s(permits);
  std::atomic<int> inside{0};
  run_mixed(pool_, fibers, threads, [&](int who) {
    spans span(who);
    for (int i = 0; i < rounds; ++i) {
      if (who % 3 == 0)
        s.acquire();
      else if (!s.try_acquire_for(span.next()))
        continue;
      EXPECT_LE(++inside, permits);
      if (i % 16 == 0) linger(microseconds(20));
      --inside;
      s.release();
    }
  });
  for (int i = 0; i < permits; ++i) EXPECT_TRUE(s.try_acquire());
  EXPECT_FALSE(s.try_acquire());
}

TEST_P(Timed, ASharedMutexKeepsItsPromiseWhileReadersAndWritersGiveUp) {
  const int rounds = scaled(400);
  heist::shared_mutex m;
  long a = 0;
  long b = 0;
  std::atomic<long> written{0};
  run_mixed(pool_, fibers, threads, [&](int who) {
    spans span(who);
    for (int i = 0; i < rounds; ++i) {
      const bool waits = (who + i) % 4 == 0;
      if ((who + i) % 3 == 0) {
        if (waits)
          m.lock();
        else if (!m.try_lock_for(span.next()))
          continue;
        ++a;
        if (i % 16 == 0) linger(microseconds(20));
        ++b;
        ++written;
        m.unlock();
      } else {
        if (waits)
          m.lock_shared();
        else if (!m.try_lock_shared_for(span.next()))
          continue;
        EXPECT_EQ(a, b);
        m.unlock_shared();
      }
    }
  });
  EXPECT_EQ(a, written);
  EXPECT_TRUE(m.try_lock());
}

// A writer that gives up lets in the readers behind it, while the reader for which it waited is
// still inside.
TEST_P(Timed, AWriterThatGivesUpIsNotInTheReadersWay) {
  heist::shared_mutex m;
  heist::latch behind(1);
  m.lock_shared();
  run_mixed(pool_, 2, 1, [&](int who) {
    if (who == 0) {
      behind.count_down();
      EXPECT_FALSE(m.try_lock_for(milliseconds(30)));
    } else {
      behind.wait();
      EXPECT_TRUE(m.try_lock_shared_for(late));
      m.unlock_shared();
    }
  });
  m.unlock_shared();
  EXPECT_TRUE(m.try_lock());
}

TEST_P(Timed, AChannelLosesNothingAndDoublesNothing) {
  const int rounds = scaled(300);
  for (const std::size_t capacity : {0U, 2U}) {
    heist::channel<int> c(capacity);
    std::atomic<long> sent{0};
    std::atomic<long> received{0};
    std::atomic<int> senders{fibers / 2};
    run_mixed(pool_, fibers, threads, [&](int who) {
      spans span(who);
      if (who < fibers / 2) {
        for (int i = 1; i <= rounds; ++i)
          if (c.send_for(i * 8 + who, span.next())) sent += i * 8 + who;
        if (--senders == 0) c.close();
      } else {
        while (!c.is_closed())
          if (const auto item = c.receive_for(span.next())) received += *item;
        while (const auto item = c.receive()) received += *item;
      }
    });
    EXPECT_EQ(sent, received);
  }
}

TEST_P(Timed, AConditionVariableLosesNoNotification) {
  const int rounds = scaled(300);
  heist::mutex m;
  heist::condition_variable changed;
  long available = 0;
  long taken = 0;
  long given = 0;
  int givers = 3;
  run_mixed(pool_, fibers, threads, [&](int who) {
    spans span(who);
    if (who < 3) {
      for (int i = 0; i < rounds; ++i) {
        const std::lock_guard hold(m);
        ++available;
        ++given;
        changed.notify_one();
      }
      const std::lock_guard hold(m);
      if (--givers == 0) changed.notify_all();
      return;
    }
    std::unique_lock hold(m);
    while (givers != 0 || available != 0) {
      const bool any =
          changed.wait_for(hold, span.next(), [&] { return available != 0 || givers == 0; });
      if (!any || available == 0) continue;
      --available;
      ++taken;
    }
  });
  EXPECT_EQ(taken, given);
}

TEST_P(Timed, AFutureIsWaitedForAgain) {
  for (int i = 0; i < scaled(100); ++i) {
    heist::detail::wait_point go;
    auto f = pool_.submit([&] {
      go.wait();
      return 5;
    });
    const auto wait = [&] {
      EXPECT_FALSE(f.wait_for(microseconds(50 * (i % 8))));
      EXPECT_FALSE(f.wait_until(clock::now()));
      go.end();
      while (!f.wait_for(microseconds(i % 16))) {
      }
      EXPECT_TRUE(f.wait_for(late));
      EXPECT_EQ(f.get(), 5);
    };
    if (i % 2 == 0)
      wait();
    else
      pool_.run(wait);
  }
  EXPECT_THROW(static_cast<void>(heist::future<int>().wait_for(soon)), heist::usage_error);
}

// ---- alarms

struct noted : heist::detail::alarm {
  noted(std::vector<int>& o, int n, clock::time_point due)
      : alarm(
            [](alarm& a) noexcept {
              auto& self = static_cast<noted&>(a);
              self.order.push_back(self.number);  // under the alarms' lock
              self.rang.raise();
            },
            due),
        order(o),
        number(n) {}
  std::vector<int>& order;
  int number;
  signal_flag rang;
};

// ---- times that are far

// Counts from the year 0, and its points of time are days.
struct day_clock {
  using duration = std::chrono::days;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<day_clock>;
  [[maybe_unused]] static constexpr bool is_steady = false;
  static time_point now() { return time_point(std::chrono::days(740'000)); }
};

TEST(DueTimes, FarOnesAreNeitherNowNorWrong) {
  using namespace std::chrono;
  using heist::detail::due_at;
  using heist::detail::due_in;
  constexpr auto never = heist::detail::due_time::max();
  EXPECT_EQ(due_at(sys_days{year{9999} / December / 31}), never);
  EXPECT_EQ(due_at(sys_seconds{sys_days{year{2300} / January / 1}}), never);
  EXPECT_EQ(due_at(sys_days{year::max() / December / 31}), never);
  EXPECT_EQ(due_at(system_clock::time_point::max()), never);
  EXPECT_EQ(due_at(steady_clock::time_point::max()), never);
  EXPECT_EQ(due_at(time_point<steady_clock, years>{years{1'000'000}}), never);
  EXPECT_EQ(due_at(time_point<system_clock, duration<double>>{duration<double>{1e300}}), never);
  EXPECT_EQ(due_at(day_clock::time_point::max()), never);
  EXPECT_EQ(due_in(hours::max()), never);
  EXPECT_EQ(due_in(years{292}), never);
  EXPECT_EQ(due_in(nanoseconds::max()), never);

  EXPECT_TRUE(heist::detail::is_over(due_at(sys_days{year::min() / January / 1})));
  EXPECT_TRUE(heist::detail::is_over(due_at(sys_days{year{1} / January / 1})));
  EXPECT_TRUE(heist::detail::is_over(due_at(system_clock::time_point::min())));
  EXPECT_TRUE(heist::detail::is_over(due_at(day_clock::time_point::min())));
  EXPECT_TRUE(heist::detail::is_over(due_in(hours::min())));
  EXPECT_TRUE(
      heist::detail::is_over(due_in(duration<double>{std::numeric_limits<double>::quiet_NaN()})));

  const auto decades = due_in(years{50});
  EXPECT_GT(decades, clock::now() + years{49});
  EXPECT_LT(decades, clock::now() + years{51});
  const auto tomorrow = due_at(day_clock::now() + days{1});
  EXPECT_GT(tomorrow, clock::now() + hours{23});
  EXPECT_LT(tomorrow, clock::now() + hours{25});
}

TEST_P(Timed, AWaitUntilAFarTimeEndsWhenItIsServed) {
  if (is_serial()) GTEST_SKIP() << "nobody serves it";
  using namespace std::chrono;
  constexpr sys_days far = year{9999} / December / 31;
  heist::counting_semaphore<> permits(0);
  heist::mutex m;
  heist::condition_variable changed;
  bool is_changed = false;
  pool_.run([&] {
    heist::fork_join([&] { EXPECT_TRUE(permits.try_acquire_until(far)); },
                     [&] {
                       std::unique_lock hold(m);
                       EXPECT_TRUE(changed.wait_until(hold, far, [&] { return is_changed; }));
                     },
                     [&] {
                       linger(milliseconds(1));
                       permits.release();
                       const std::lock_guard hold(m);
                       is_changed = true;
                       changed.notify_all();
                     });
  });
}

TEST(Alarms, RingInTheOrderOfTheirTimesAndNotWhenTheyAreGone) {
  std::mt19937 random(seed);
  milliseconds ahead(20);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> order;
    order.reserve(64);
    const auto begin = clock::now() + ahead;
    std::vector<std::optional<noted>> all(64);
    std::vector<int> when(64);
    for (int i = 0; i < 64; ++i) when[static_cast<std::size_t>(i)] = i;
    std::shuffle(when.begin(), when.end(), random);
    for (const int i : when) {
      auto& a = all[static_cast<std::size_t>(i)];
      a.emplace(order, i, begin + microseconds(10 * i));
      a->set();
    }
    for (const int i : when)
      if (i % 3 == 1) all[static_cast<std::size_t>(i)].reset();
    const bool in_time = clock::now() < begin;
    EXPECT_TRUE(all[63]->rang.wait());
    all.clear();
    if (!in_time) {  // this thread got no processor: once more, with more time
      ahead *= 2;
      --round;
      continue;
    }
    std::vector<int> expected;
    for (int i = 0; i < 64; ++i)
      if (i % 3 != 1) expected.push_back(i);
    EXPECT_EQ(order, expected) << "seed " << seed;
  }
}

using TimedProcess = fresh_process;

TEST_F(TimedProcess, WithoutAThreadIsRefused) {
  EXPECT_EXIT(run_and_exit([] {
                heist::mutex m;
                m.lock();
                heist::platform::set_thread_faults_for_test(0);
                EXPECT_FALSE(m.try_lock_for(std::chrono::seconds(0)));
                static_cast<void>(m.try_lock_for(soon));
              }),
              testing::ExitedWithCode(code_resource), "no thread for time limits");
}

TEST_F(TimedProcess, AChildOfForkHasAlarmsOfItsOwn) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer starts no threads in a child";
  heist::mutex m;
  m.lock();
  EXPECT_FALSE(m.try_lock_for(microseconds(10)));
  EXPECT_EQ(in_forked_child([&] { return m.try_lock_for(soon) ? 1 : 0; }), 0);
  EXPECT_FALSE(m.try_lock_for(microseconds(10)));
}

}  // namespace
}  // namespace heist_test
