// HEIST_CHECK=1: what ends in some other way is not reported, and when nothing runs any more, that
// is. ctest runs this program with the variable set.
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <numeric>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/sync/checked_waits.hpp"

namespace heist_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using Suspicions = checked_waits;

// ---- What is no deadlock.

TEST_P(Suspicions, DontFallOnManyLocksThatAreTakenInOneOrder) {
  heard err;
  constexpr int locks = 64;
  std::vector<heist::mutex> m(locks);
  std::vector<heist::shared_mutex> s(locks);
  std::vector<long> counts(locks);
  pool_.run([&] {
    heist::parallel_for(0, tsan ? 1000 : 4000, [&](int i) {
      const auto a = static_cast<std::size_t>(i * 7919 % locks);
      const auto b = static_cast<std::size_t>(i * 104729 % locks);
      const std::lock_guard first(m[std::min(a, b)]);
      std::unique_lock<heist::mutex> second;
      if (a != b) second = std::unique_lock(m[std::max(a, b)]);
      const std::shared_lock reading(s[a]);
      heist::fork_join([&] { ++counts[a]; }, [] {});
    });
  });
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0L), tsan ? 1000 : 4000);
  EXPECT_EQ(err.text(), "");
}

TEST_P(Suspicions, DontFallOnTimedWaitsWhichEnd) {
  heard err;
  heist::mutex a;
  heist::mutex b;
  heist::latch both(2);
  std::atomic<int> gave_up{0};
  const auto lock = [&](heist::mutex& first, heist::mutex& second) {
    const std::lock_guard hold(first);
    both.arrive_and_wait();
    if (second.try_lock_for(20ms))
      second.unlock();
    else
      ++gave_up;
  };
  pool_.run([&] { heist::fork_join([&] { lock(a, b); }, [&] { lock(b, a); }); });
  EXPECT_GE(gave_up.load(), 1);
  EXPECT_EQ(err.text(), "");
}

TEST_P(Suspicions, DontFallOnWaitsThatAThreadOutsideEnds) {
  heard err;
  heist::channel<int> c(1);
  heist::binary_semaphore s(0);
  std::thread outside([&] {
    std::this_thread::sleep_for(50ms);
    EXPECT_TRUE(c.send(1));
    s.release();
  });
  pool_.run([&] { heist::fork_join([&] { EXPECT_EQ(c.receive(), 1); }, [&] { s.acquire(); }); });
  outside.join();
  EXPECT_EQ(err.text(), "");
}

// The one that locks it twice waits for another fiber's unlock. The first such unlock shows what it
// is.
TEST_P(Suspicions, DontFallOnAMutexThatIsUsedAsASignal) {
  heard err;
  heist::mutex signal;
  pool_.run([&] {
    signal.lock();
    pool_.submit([&] { signal.unlock(); }).get();
    signal.lock();
    heist::future<void> later = pool_.submit([&] { signal.unlock(); });
    signal.lock();
    later.get();
  });
  EXPECT_EQ(err.text(), "");
}

// A function that ends with a lock leaves it to nobody in particular.
TEST_P(Suspicions, DontFallOnALockThatAFunctionLeavesToTheNext) {
  heard err;
  heist::mutex m;
  pool_.submit([&] { m.lock(); }).get();
  heist::future<void> second = pool_.submit([&] { m.lock(); });
  pool_.submit([&] { m.unlock(); }).get();
  second.get();
  m.unlock();
  EXPECT_EQ(err.text(), "");
}

TEST_P(Suspicions, AnObjectAtTheSameAddressHasAnotherNameAndNoHolder) {
  heard err;
  alignas(heist::mutex) std::byte memory[sizeof(heist::mutex)];
  auto* const first = ::new (static_cast<void*>(memory)) heist::mutex;
  heist::set_name(*first, "first");
  first->lock();  // and never unlocks
  const int line = __LINE__ + 1;
  auto* const second = ::new (static_cast<void*>(memory)) heist::mutex;
  second->lock();
  EXPECT_EQ(err.text(), "");
  const std::string what = deadlock_in([&] { second->lock(); });
  EXPECT_THAT(what, HasSubstr(place_of(line)));
  EXPECT_THAT(what, testing::Not(HasSubstr("first")));
}

// ---- When nothing runs any more.

TEST_P(Suspicions, AreToldOnceWhereAllFibersWait) {
  heard err;
  const int line = __LINE__ + 1;
  heist::channel<int> c(1);
  heist::set_name(c, "letters");
  heist::latch l(1);
  std::thread outside([&] {
    EXPECT_TRUE(err.hears("waits to receive from channel \"letters\"")) << err.text();
    std::this_thread::sleep_for(1500ms);
    EXPECT_TRUE(c.send(1));
    l.count_down();
  });
  heist::future<void> at_latch = pool_.submit([&] { l.wait(); });
  heist::future<int> received = pool_.submit([&] { return c.receive().value_or(0); });
  outside.join();
  EXPECT_EQ(received.get(), 1);
  at_latch.get();
  const std::string text = err.text();
  EXPECT_THAT(text, HasSubstr("heist: 2 fibers wait, no worker has anything to do"));
  EXPECT_THAT(text, HasSubstr("unless a thread outside the pools goes on, this is a hang"));
  EXPECT_THAT(text, HasSubstr(place_of(line)));
  EXPECT_THAT(text, HasSubstr("waits at latch"));
  EXPECT_EQ(text.find("letters"), text.rfind("letters")) << text;
}

TEST_P(Suspicions, AreNotToldWhileAWorkerRunsOrATimeIsSet) {
  heard err;
  heist::latch l(1);
  heist::future<void> waits = pool_.submit([&] { l.wait(); });
  if (GetParam() == 2) {
    heist::binary_semaphore never(0);
    pool_.run([&] { EXPECT_FALSE(never.try_acquire_for(2500ms)); });
  } else if (GetParam() == 8) {
    pool_.run([] { heist::blocking([] { std::this_thread::sleep_for(2500ms); }); });
  } else {
    pool_.run([] { std::this_thread::sleep_for(2500ms); });
  }
  EXPECT_EQ(err.text(), "");
  l.count_down();
  waits.get();
}

TEST_P(Suspicions, AndDeadlocksAreToldInAChildOfForkToo) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer starts no threads in such a child";
  heist::mutex held;
  held.lock();
  heist::latch l(1);
  heist::future<void> waits = pool_.submit([&] { l.wait(); });
  heard err;
  EXPECT_EQ(in_forked_child([] {
              heist::pool own({.workers = 2, .name = "own"});
              heist::mutex m;
              const std::string what = deadlock_in([&] {
                own.run([&] {
                  const std::lock_guard hold(m);
                  m.lock();
                });
              });
              return what == "none" ? 1 : 0;
            }),
            0);
  EXPECT_THAT(err.text(), HasSubstr("pool \"own\") waits for mutex"));
  l.count_down();
  waits.get();
}

INSTANTIATE_TEST_SUITE_P(Workers, Suspicions, testing::Values(1U, 2U, 8U));

// A thread's own stack, on which its last hook runs, belongs to no pool.
TEST(SuspicionsOfHooks, AThreadThatEndsMayWaitForAnotherPool) {
  heist::pool other({.workers = 1});
  std::atomic<int> sum{0};
  {
    const heist::pool pool(
        {.workers = 2, .on_thread_stop = [&](unsigned) { sum += other.run([] { return 1; }); }});
  }
  EXPECT_EQ(sum, 2);
}

}  // namespace
}  // namespace heist_test
