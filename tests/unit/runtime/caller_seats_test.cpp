// Seats that callers have of their own (pool_config::caller_seats).
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/child.hpp"
#include "tests/unit/runtime/fib.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

// Holds up all workers of a pool until it is told to let them go.
class busy_workers {
 public:
  explicit busy_workers(heist::pool& pool) {
    for (unsigned i = 0; i < pool.workers(); ++i)
      held_.push_back(pool.submit([this] {
        ++begun_;
        EXPECT_TRUE(over_.wait());
      }));
    EXPECT_TRUE(eventually([&] { return begun_ == pool.workers(); }));
  }
  ~busy_workers() {
    let_go();
    for (auto& h : held_) h.get();
  }
  busy_workers(const busy_workers&) = delete;
  busy_workers& operator=(const busy_workers&) = delete;

  void let_go() noexcept { over_.raise(); }

 private:
  std::atomic<unsigned> begun_{0};
  signal_flag over_;
  std::vector<heist::future<void>> held_;
};

class CallerSeats : public testing::Test {
 protected:
  void SetUp() override {
    if (is_serial()) GTEST_SKIP() << "a serial run has no workers";
  }
};

TEST_F(CallerSeats, BeginAtOnceBesideBusyWorkers) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    heist::pool pool({.workers = workers, .caller_seats = 2});
    EXPECT_EQ(pool.slots(), workers + 2);
    const busy_workers busy(pool);
    for (int i = 0; i < 100; ++i) {
      const auto [thread, index] =
          pool.run([&] { return std::pair(std::this_thread::get_id(), pool.worker_index()); });
      EXPECT_EQ(thread, std::this_thread::get_id());
      EXPECT_GE(index, static_cast<int>(workers));
      EXPECT_LT(index, static_cast<int>(pool.slots()));
      EXPECT_EQ(pool.run([] { return fib(8); }), 21);
    }
    EXPECT_EQ(heist::this_worker::index(), -1);
    EXPECT_EQ(pool.stats().seatless_calls, 0U);
  }
}

TEST_F(CallerSeats, ThatAreAllTakenLetTheNextCallWait) {
  heist::pool pool({.workers = 1, .caller_seats = 1});
  busy_workers busy(pool);
  std::thread late;
  pool.run([&] {
    heist::latch begun(1);
    late = std::thread([&] { pool.run([&] { begun.count_down(); }); });
    EXPECT_TRUE(eventually([&] { return pool.stats().seatless_calls == 1; }));
    EXPECT_FALSE(begun.try_wait());
    busy.let_go();
    begun.wait();
    late.join();
  });
}

// Each half waits for the other one to begin, so the worker must steal from the caller's seat.
TEST_F(CallerSeats, AreStolenFrom) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    heist::pool pool({.workers = workers, .caller_seats = 1});
    for (int i = 0; i < scaled(50); ++i) {
      busy_workers busy(pool);
      signal_flag first;
      signal_flag second;
      pool.run([&] {
        ASSERT_GE(pool.worker_index(), static_cast<int>(workers));
        busy.let_go();
        heist::fork_join(
            [&] {
              first.raise();
              EXPECT_TRUE(second.wait());
            },
            [&] {
              second.raise();
              EXPECT_TRUE(first.wait());
            });
      });
    }
  }
}

// The one that ends what the call waits for goes on with it: the caller returns then.
TEST_F(CallerSeats, AreLeftWhenAWorkerHasEndedTheCall) {
  heist::pool pool({.workers = 2, .caller_seats = 1});
  for (int i = 0; i < scaled(100); ++i) {
    busy_workers busy(pool);
    heist::latch ready(1);
    pool.run([&] {
      heist::future<void> other = pool.submit([&] { ready.count_down(); });
      busy.let_go();
      ready.wait();
      other.get();
    });
  }
}

TEST_F(CallerSeats, AreSlotsOfTheirOwn) {
  for (const unsigned workers : {1U, 2U, 3U, 8U}) {
    heist::pool pool({.workers = workers, .caller_seats = 3});
    std::vector<std::atomic<bool>> taken(pool.slots());
    heist::worker_local<long> sums(pool);
    std::atomic<long> total{0};
    {
      std::vector<std::jthread> crowd;
      for (int t = 0; t < 8; ++t)
        crowd.emplace_back([&, t] {
          for (int i = 0; i < scaled(200); ++i) {
            total += pool.run([=] { return fib(8 + t % 4); });
            heist::parallel_for(pool, 0, 50, [&](int n) {
              std::atomic<bool>& mine = taken[static_cast<std::size_t>(pool.worker_index())];
              EXPECT_FALSE(mine.exchange(true));
              sums.local() += n;
              mine = false;
            });
          }
        });
    }
    EXPECT_EQ(total.load(), 2 * (fib(8) + fib(9) + fib(10) + fib(11)) * scaled(200));
    long sum = 0;
    for (const long s : sums) sum += s;
    EXPECT_EQ(sum, 8L * scaled(200) * 50 * 49 / 2);
    const heist::pool_stats s = pool.stats();
    EXPECT_EQ(s.workers.size(), pool.slots());
    EXPECT_EQ(s.total.roots, 16U * static_cast<unsigned>(scaled(200)));
  }
}

// A caller's deque lies in its thread, which is gone soon; thieves look at it all the time.
TEST_F(CallerSeats, MayLoseTheirThreadsAtOnce) {
  heist::pool pool({.workers = 2, .caller_seats = 2});
  for (int i = 0; i < scaled(200); ++i) {
    std::vector<std::jthread> crowd;
    for (int t = 0; t < 5; ++t)
      crowd.emplace_back([&] { EXPECT_EQ(pool.run([] { return fib(10); }), 55); });
  }
}

// A function that stalls, or is meant for a worker, moves from the caller's thread to the worker's.
TEST_F(CallerSeats, LetGoWhatNeedsAWorkersThread) {
  heist::pool pool({.workers = 2, .caller_seats = 2});
  for (int i = 0; i < scaled(100); ++i) {
    busy_workers busy(pool);
    const auto stalls = [&] {
      const auto here = std::this_thread::get_id();
      signal_flag stolen;
      heist::fork_join([&] { EXPECT_TRUE(stolen.wait()); }, [&] { stolen.raise(); });
      EXPECT_EQ(std::this_thread::get_id(), here);
    };
    pool.run([&] {
      EXPECT_GE(pool.worker_index(), 2);
      busy.let_go();
      pool.run_on(1, [&] { EXPECT_EQ(pool.worker_index(), 1); });
      heist::with(heist::policy::stalling, stalls);
    });
  }
}

TEST_F(CallerSeats, ShowInReports) {
  heist::pool pool({.workers = 1,
                    .caller_seats = 2,
                    .stats = heist::stats_kind::timed,
                    .name = "seats in reports"});
  const busy_workers busy(pool);
  const auto described = [] {
    const std::string all = heist::describe_pools();
    const auto begin = all.find("pool seats in reports");
    return all.substr(begin, all.find("pool ", begin + 1) - begin);
  };
  EXPECT_EQ(described().find("worker 1"), std::string::npos) << described();
  const std::string text = pool.run(described);
  EXPECT_NE(text.find("  worker 1, a caller's thread: running"), std::string::npos) << text;
}

TEST_F(CallerSeats, ReturnInTheChildOfFork) {
  if (tsan) GTEST_SKIP() << "ThreadSanitizer lets no child of several threads start one";
  if (emulated) GTEST_SKIP() << "qemu fails an assertion of its own in such a child";
  heist::pool pool({.workers = 1, .caller_seats = 1});
  const busy_workers busy(pool);
  const int status = pool.run([&] {
    EXPECT_EQ(pool.worker_index(), 1);
    return in_forked_child([&] { return fib(12) == 144 ? 7 : 8; });
  });
  EXPECT_EQ(status, 7);
}

TEST(CallerSeatsConfig, IsRefusedWhereItMeansNothing) {
  const auto words = [](heist::pool_config c) -> std::string {
    c.workers = 1;
    try {
      const heist::pool pool(std::move(c));
    } catch (const heist::usage_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(words({.caller_seats = 1025}),
            "pool_config::caller_seats = 1025: must be at most 1024");
  for (const heist::pool_config& c :
       {heist::pool_config{.callers = heist::caller_kind::wait, .caller_seats = 1},
        heist::pool_config{.deque = heist::deque_kind::chase_lev, .caller_seats = 1},
        heist::pool_config{.placement = heist::placement_kind::pinned, .caller_seats = 1}})
    EXPECT_EQ(
        words(c),
        "pool_config::caller_seats = 1: must be 0 in a pool whose callers wait (caller_kind)");
  EXPECT_EQ(words({.caller_seats = 1024}), "accepted");
}

}  // namespace
}  // namespace heist_test
