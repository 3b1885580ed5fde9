// Lines that operations move between threads (watcher.hpp), with 2, 8 and 32 workers. The bounds
// are the same for any number of workers, except that of going to sleep. Figures: docs/scaling.md.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <heist/heist.hpp>

#include "tests/lines/watcher.hpp"

namespace heist_test {
namespace {

constexpr int rounds = 400;

// A pool all of whose workers but `free` are held, and one that runs the test.
class held_pool {
 public:
  held_pool(unsigned workers, unsigned free) : pool_({.workers = workers}), free_(free) {}

  template <class F>
  void run(F&& f) {
    const int held_n = static_cast<int>(pool_.workers() - free_) - 1;
    std::atomic<int> held{0}, over{0};
    heist::task_group holders(pool_);
    pool_.run([&] {
      for (int i = 0; i < held_n; ++i)
        holders.run([&] {
          add_unwatched(held, 1);
          wait_unwatched(over, 1);
        });
      wait_unwatched(held, held_n);
      f();
      add_unwatched(over, 1);
      holders.wait();
    });
  }

 private:
  heist::pool pool_;
  unsigned free_;
};

// How many lines one round of f moves, of all threads, after some rounds that aren't counted.
template <class F>
double lines_by(F&& f) {
  for (int i = 0; i < 20; ++i) f();
  const std::uint64_t before = lines_moved();
  for (int i = 0; i < rounds; ++i) f();
  return static_cast<double>(lines_moved() - before) / rounds;
}

class Lines : public testing::TestWithParam<unsigned> {
 protected:
  Lines() { watch_lines(); }
  ~Lines() override { stop_watching_lines(); }

  // Prints the figure, and compares it.
  void expect_at_most(double bound, const char* what, double moved) {
    std::printf("  %-44s P = %2u  %7.2f lines\n", what, GetParam(), moved);
    if (moved > bound) print_lines_moved(what, 12);
    EXPECT_LE(moved, bound) << what;
  }
  // What workers do for themselves while all others are busy.
  template <class F>
  void expect_alone(double bound, const char* what, F&& f) {
    held_pool(GetParam(), 0).run([&] { expect_at_most(bound, what, lines_by(f)); });
  }
};

TEST_P(Lines, AForkThatNobodySteals) {
  expect_alone(0.05, "fork_join", [] { heist::fork_join([] {}, [] {}); });
}
TEST_P(Lines, AScopeOfTenChildren) {
  expect_alone(0.05, "scope of ten spawns", [] {
    heist::scope([](heist::task_scope& s) {
      for (int i = 0; i < 10; ++i) s.spawn([] {});
    });
  });
}
TEST_P(Lines, ALoop) {
  expect_alone(0.05, "parallel_for of 1,000", [] { heist::parallel_for(0, 1000, [](int) {}); });
}
TEST_P(Lines, AFunctionOfOnesOwnPool) {
  expect_alone(0.05, "submit and get, inside", [] { heist::submit([] {}).get(); });
}
TEST_P(Lines, AGroupOfTenTasks) {
  expect_alone(0.05, "task_group of ten", [] {
    heist::task_group g;
    for (int i = 0; i < 10; ++i) g.run([] {});
    g.wait();
  });
}

TEST_P(Lines, ALockThatNobodyElseWants) {
  heist::mutex m;
  expect_alone(0.05, "mutex, locked and unlocked", [&] { const std::lock_guard hold(m); });
}

// Two functions that hand each other turns: each wait is one of a fiber, which another ends.
class turns {
 public:
  void take_and_give() {
    mine_.acquire();
    other_.release();
  }
  void give_and_take() {
    mine_.release();
    other_.acquire();
  }

 private:
  heist::counting_semaphore<> mine_{0}, other_{0};
};

TEST_P(Lines, AWaitForAFunctionOfTheSameWorker) {
  held_pool(GetParam(), 0).run([&] {
    turns t;
    std::atomic<bool> is_over{false};
    auto other = heist::submit([&] {
      while (!is_over.load(std::memory_order_relaxed)) t.take_and_give();
    });
    static_cast<void>(lines_by([&] { t.give_and_take(); }));  // a first look at each lane
    expect_at_most(0.05, "two waits, on one worker", lines_by([&] { t.give_and_take(); }));
    is_over.store(true, std::memory_order_relaxed);
    t.give_and_take();
    other.get();
  });
}

// Each worker has such functions, four pairs for each. What moves is what T2 in turns.hpp takes
// from other lanes, once in 60 turns, and what the first idle ones take in the end.
TEST_P(Lines, WaitsOfAllWorkers) {
  heist::pool pool({.workers = GetParam()});
  const unsigned pairs = 4 * GetParam();
  constexpr int messages = 2000;
  const auto play = [&] {
    pool.run([&] {
      heist::parallel_for(0U, pairs, [&](unsigned) {
        turns t;
        heist::fork_join(
            [&] {
              for (int i = 0; i < messages; ++i) t.give_and_take();
            },
            [&] {
              for (int i = 0; i < messages; ++i) t.take_and_give();
            });
      });
    });
  };
  play();
  const std::uint64_t before = lines_moved();
  play();
  expect_at_most(4, "two waits, on all workers",
                 static_cast<double>(lines_moved() - before) / (double(messages) * pairs));
}

// The only free one steals, ends the job, and looks for work again.
TEST_P(Lines, AForkThatIsStolen) {
  held_pool(GetParam(), 1).run([&] {
    expect_at_most(12, "fork_join, stolen", lines_by([] {
                     std::atomic<int> taken{0};
                     heist::fork_join([&] { wait_unwatched(taken, 1); },
                                      [&] { add_unwatched(taken, 1); });
                   }));
  });
}
TEST_P(Lines, ASpawnThatIsStolen) {
  held_pool(GetParam(), 1).run([&] {
    expect_at_most(80, "spawn, stolen", lines_by([] {
                     std::atomic<int> taken{0};
                     heist::scope([&](heist::task_scope& s) {
                       s.spawn([&] { wait_unwatched(taken, 1); });
                       add_unwatched(taken, 1);
                     });
                   }));
  });
}
TEST_P(Lines, AFunctionThatIsStolen) {
  held_pool(GetParam(), 1).run([&] {
    expect_at_most(32, "submit and get, by another worker", lines_by([] {
                     std::atomic<int> taken{0};
                     auto f = heist::submit([&] { add_unwatched(taken, 1); });
                     wait_unwatched(taken, 1);
                     f.get();
                   }));
  });
}

// From outside, to workers of whom one is awake.
TEST_P(Lines, ACallFromOutside) {
  heist::pool pool({.workers = GetParam()});
  expect_at_most(60, "run, from outside", lines_by([&] { pool.run([] {}); }));
  expect_at_most(48, "submit and get, from outside", lines_by([&] { pool.submit([] {}).get(); }));
}

// All sleep, and each gets a part: to each worker.
TEST_P(Lines, ALoopThatAllWake) {
  const unsigned workers = GetParam();
  heist::pool pool({.workers = workers});
  const double moved = lines_by([&] {
    std::atomic<int> here{0};
    pool.run([&] {
      heist::parallel_for(0U, workers, [&](unsigned) {
        add_unwatched(here, 1);
        wait_unwatched(here, static_cast<int>(workers));
      });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  expect_at_most(60 + 4.0 * workers, "waking and sleeping of all, to each", moved / workers);
}

// The lines that come to the one that forks, while all others look for work in vain.
TEST_P(Lines, AForkBesideHungryThieves) {
  heist::pool pool({.workers = GetParam(), .idle = heist::idle_kind::spin});
  pool.run([&] {
    heist::fork_join([] {}, [] {});
    const std::uint64_t before = lines_moved_here();
    for (int i = 0; i < 100 * rounds; ++i) heist::fork_join([] {}, [] {});
    expect_at_most(1, "fork_join beside hungry thieves, to the owner",
                   static_cast<double>(lines_moved_here() - before) / (100.0 * rounds));
  });
}

INSTANTIATE_TEST_SUITE_P(Of, Lines, testing::Values(2U, 8U, 32U),
                         [](const auto& how) { return std::to_string(how.param) + "Workers"; });

}  // namespace
}  // namespace heist_test
