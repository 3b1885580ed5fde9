// Tasks that are suspended and resumed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "oneapi/tbb.h"

namespace {

// A thread outside that resumes what it is given, in the order of arrival or against it.
class resumer {
 public:
  explicit resumer(bool newest_first) : newest_first_(newest_first), thread_([this] { run(); }) {}
  ~resumer() {
    {
      const std::lock_guard held(lock_);
      is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void add(tbb::task::suspend_point point) {
    // Under the lock: once the point is resumed, this object may end.
    const std::lock_guard held(lock_);
    points_.push_back(point);
    changed_.notify_one();
  }

 private:
  void run() {
    std::unique_lock held(lock_);
    for (;;) {
      changed_.wait(held, [&] { return is_over_ || !points_.empty(); });
      if (points_.empty()) return;
      const auto point = newest_first_ ? points_.back() : points_.front();
      if (newest_first_)
        points_.pop_back();
      else
        points_.pop_front();
      held.unlock();
      tbb::task::resume(point);
      held.lock();
    }
  }

  const bool newest_first_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<tbb::task::suspend_point> points_;
  bool is_over_ = false;
  std::thread thread_;
};

TEST(Resumable, TheCallerItself) {
  resumer other(false);
  int value = 0;
  tbb::task::suspend([&](tbb::task::suspend_point point) {
    value = 5;
    other.add(point);
  });
  EXPECT_EQ(value, 5);
}

TEST(Resumable, ResumedBeforeTheCallbackHasReturned) {
  for (int i = 0; i < 1000; ++i)
    tbb::task::suspend([](tbb::task::suspend_point point) { tbb::task::resume(point); });
}

TEST(Resumable, ManyTasksOfALoop) {
  for (const bool newest_first : {false, true}) {
    resumer other(newest_first);
    std::atomic<int> before{0}, after{0};
    tbb::parallel_for(0, 500, [&](int) {
      ++before;
      tbb::task::suspend([&](tbb::task::suspend_point point) { other.add(point); });
      ++after;
    });
    EXPECT_EQ(before.load(), 500);
    EXPECT_EQ(after.load(), 500);
  }
}

TEST(Resumable, InsideOfNestedLoopsAndRegions) {
  resumer other(true);
  std::atomic<int> sum{0};
  tbb::parallel_for(0, 20, [&](int) {
    tbb::parallel_for(0, 20, [&](int) {
      tbb::task::suspend([&](tbb::task::suspend_point point) { other.add(point); });
      tbb::parallel_for(0, 5, [&](int) { ++sum; });
    });
  });
  EXPECT_EQ(sum.load(), 2000);
}

TEST(Resumable, InAnotherArena) {
  resumer other(false);
  tbb::task_arena arena(2);
  std::atomic<int> ran{0};
  tbb::parallel_for(0, 50, [&](int) {
    const int outside = tbb::this_task_arena::max_concurrency();
    arena.execute([&] {
      tbb::task::suspend([&](tbb::task::suspend_point point) { other.add(point); });
      EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 2);
    });
    EXPECT_EQ(tbb::this_task_arena::max_concurrency(), outside);
    ++ran;
  });
  EXPECT_EQ(ran.load(), 50);
}

TEST(Resumable, ResumedByAnotherTask) {
  std::atomic<int> ran{0};
  tbb::task_group group;
  for (int i = 0; i < 200; ++i) {
    group.run([&] {
      tbb::task::suspend([&](tbb::task::suspend_point point) {
        group.run([point] { tbb::task::resume(point); });
      });
      ++ran;
    });
  }
  group.wait();
  EXPECT_EQ(ran.load(), 200);
}

TEST(Resumable, ThrowsAfterwards) {
  resumer other(false);
  EXPECT_THROW(tbb::parallel_for(0, 100,
                                 [&](int i) {
                                   tbb::task::suspend(
                                       [&](tbb::task::suspend_point point) { other.add(point); });
                                   if (i == 50) throw std::runtime_error("after");
                                 }),
               std::runtime_error);
}

TEST(Resumable, AnExceptionThatIsHandledStaysWithItsStack) {
  if (std::getenv("HEIST_WORKERS") == nullptr)
    GTEST_SKIP() << "oneTBB's own library loses it, and terminates";
  resumer other(false);
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 100, [&](int i) {
    try {
      throw i;
    } catch (int) {
      tbb::task::suspend([&](tbb::task::suspend_point point) { other.add(point); });
      try {
        throw;
      } catch (int caught) {
        wrong += caught != i;
      }
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Resumable, WhereOnlyOneThreadIsAllowed) {
  tbb::global_control only_me(tbb::global_control::max_allowed_parallelism, 1);
  std::mutex lock;
  std::vector<tbb::task::suspend_point> points;
  std::atomic<int> begun{0}, ran{0};
  // Each but the last waits for a later one: on one stack this would never end.
  tbb::task_group group;
  for (int i = 0; i < 10; ++i) {
    group.run([&, i] {
      if (++begun < 10) {
        tbb::task::suspend([&](tbb::task::suspend_point point) {
          const std::lock_guard held(lock);
          points.push_back(point);
        });
      } else {
        const auto all_wait = [&] {
          const std::lock_guard held(lock);
          return points.size() == 9;
        };
        while (!all_wait()) std::this_thread::yield();
        for (const auto point : points) tbb::task::resume(point);
      }
      ran += i;
    });
  }
  group.wait();
  EXPECT_EQ(ran.load(), 45);
}

// The thread's own stack could go on while the thread is in another arena, for a call. It must not
// before that call has ended: it would find itself there, and leave a seat that is not its own.
TEST(Resumable, AStackGoesOnInItsOwnArena) {
  tbb::task_arena here(1), there(1);
  here.execute([&] {
    tbb::task::suspend_point outer{};
    bool is_there = false;
    tbb::task_group group;
    group.run([&] {
      there.execute([&] {
        is_there = true;
        tbb::flow::graph nothing;  // a wait that has nothing to run
        nothing.reserve_wait();
        std::thread later([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          nothing.release_wait();
        });
        tbb::task::resume(outer);
        nothing.wait_for_all();
        later.join();
        is_there = false;
      });
    });
    tbb::task::suspend([&](tbb::task::suspend_point point) { outer = point; });
    EXPECT_FALSE(is_there);
    group.wait();
  });
}

// All threads may be in waits of isolated regions, and wait for a stack that could go on.
TEST(Resumable, AStackGoesOnBesideAnIsolatedWait) {
  tbb::task_arena here(1);
  here.execute([&] {
    tbb::task::suspend_point outer{}, first{};
    tbb::task_group group, awaited;
    tbb::task_handle last = awaited.defer([] {});
    const auto isolated = [&] {
      tbb::this_task_arena::isolate([&] {
        tbb::task::resume(first);
        awaited.wait();
      });
      tbb::task::resume(outer);
    };
    group.run([&] {
      group.run(isolated);  // runs when this stack was left
      tbb::task::suspend([&](tbb::task::suspend_point point) { first = point; });
      awaited.run(std::move(last));
    });
    tbb::task::suspend([&](tbb::task::suspend_point point) { outer = point; });
    group.wait();
  });
}

}  // namespace
