// Arenas, controls and observers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "oneapi/tbb.h"

namespace {

using namespace std::chrono_literals;

template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(100us);
  }
  return true;
}

TEST(Arena, IndicesAreBelowTheConcurrency) {
  for (const int size : {1, 2, 3, 8}) {
    tbb::task_arena arena(size);
    std::atomic<int> wrong{0};
    arena.execute([&] {
      EXPECT_EQ(tbb::this_task_arena::max_concurrency(), size);
      tbb::parallel_for(0, 2000, [&](int) {
        const int i = tbb::this_task_arena::current_thread_index();
        if (i < 0 || i >= size) ++wrong;
      });
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(arena.max_concurrency(), size);
  }
}

TEST(Arena, OfNoSizeHasTheDefaultOne) {
  for (const int size : {0, tbb::task_arena::automatic}) {
    tbb::task_arena arena(size);
    arena.initialize();
    EXPECT_EQ(arena.max_concurrency(), tbb::info::default_concurrency());
  }
}

TEST(Arena, NoTwoThreadsHaveOneIndex) {
  tbb::task_arena arena(4);
  std::atomic<int> inside[4]{};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        arena.execute([&] {
          tbb::parallel_for(0, 200, [&](int) {
            const int i = tbb::this_task_arena::current_thread_index();
            if (i < 0 || i >= 4 || ++inside[i] != 1) ++wrong;
            if (i >= 0 && i < 4) --inside[i];
          });
        });
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Arena, ReturnsValuesAndThrows) {
  tbb::task_arena arena(2);
  EXPECT_EQ(arena.execute([] { return 7; }), 7);
  EXPECT_THROW(arena.execute([] { throw std::runtime_error("inside"); }), std::runtime_error);
  const int outside = tbb::this_task_arena::current_thread_index();
  arena.execute([&] { arena.execute([&] { EXPECT_EQ(arena.max_concurrency(), 2); }); });
  EXPECT_EQ(tbb::this_task_arena::current_thread_index(), outside);
}

TEST(Arena, AFullArenaRunsTheCallOfAThreadThatFindsNoSeat) {
  tbb::task_arena arena(1);
  std::atomic<int> calls{0}, at_once{0}, most{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        arena.execute([&] {
          const int now = ++at_once;
          int seen = most.load();
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          ++calls;
          --at_once;
        });
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(calls.load(), 400);
  EXPECT_LE(most.load(), 2);  // the seat, and a worker for enqueued calls
}

TEST(Arena, ExceptionsOfADelegatedCallReachTheCaller) {
  tbb::task_arena arena(1);
  std::atomic<int> caught{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        try {
          arena.execute([] { throw 5; });
        } catch (int) {
          ++caught;
        }
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(caught.load(), 200);
}

TEST(Arena, EnqueuedWorkRunsThoughNobodyWaits) {
  std::atomic<int> ran{0};
  {
    tbb::task_arena arena(2), single(1);
    for (int i = 0; i < 1000; ++i) {
      arena.enqueue([&] { ++ran; });
      single.enqueue([&] { ++ran; });
    }
  }  // the arenas' objects end before their work
  EXPECT_TRUE(eventually([&] { return ran.load() == 2000; }));
}

TEST(Arena, EnqueuedWorkRunsWhereNoWorkerIsAllowed) {
  tbb::global_control only_me(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena arena(2);
  std::atomic<bool> ran{false};
  arena.enqueue([&] { ran = true; });
  EXPECT_TRUE(eventually([&] { return ran.load(); }));
}

TEST(Arena, AttachedToTheOneThatTheThreadIsIn) {
  tbb::task_arena arena(3);
  arena.execute([&] {
    tbb::task_arena here(tbb::task_arena::attach{});
    EXPECT_TRUE(here.is_active());
    EXPECT_EQ(here.max_concurrency(), 3);
  });
}

TEST(Arena, WorkFromManyThreads) {
  std::atomic<long> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 30; ++round) tbb::parallel_for(0, 500, [&](int i) { sum += i; });
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum.load(), 8L * 30 * 500 * 499 / 2);
}

TEST(Arena, Priorities) {
  tbb::task_arena low(2, 1, tbb::task_arena::priority::low);
  tbb::task_arena high(2, 1, tbb::task_arena::priority::high);
  std::atomic<int> ran{0};
  for (int i = 0; i < 500; ++i) {
    low.enqueue([&] { ++ran; });
    high.enqueue([&] { ++ran; });
  }
  EXPECT_TRUE(eventually([&] { return ran.load() == 1000; }));
}

TEST(Controls, TheLeastIsInForce) {
  using control = tbb::global_control;
  const auto before = control::active_value(control::max_allowed_parallelism);
  {
    control eight(control::max_allowed_parallelism, 8);
    EXPECT_EQ(control::active_value(control::max_allowed_parallelism), 8u);
    {
      control two(control::max_allowed_parallelism, 2);
      EXPECT_EQ(control::active_value(control::max_allowed_parallelism), 2u);
    }
    EXPECT_EQ(control::active_value(control::max_allowed_parallelism), 8u);
  }
  EXPECT_EQ(control::active_value(control::max_allowed_parallelism), before);
  {
    control stacks(control::thread_stack_size, 16 << 20);
    EXPECT_EQ(control::active_value(control::thread_stack_size), std::size_t{16} << 20);
  }
  EXPECT_EQ(control::active_value(control::terminate_on_exception), 0u);
}

TEST(Controls, OneThreadRunsEverythingItself) {
  tbb::global_control only_me(tbb::global_control::max_allowed_parallelism, 1);
  // A worker that was in the arena before may end what it does.
  std::this_thread::sleep_for(50ms);
  const auto me = std::this_thread::get_id();
  std::atomic<int> others{0};
  tbb::task_arena arena(4);
  arena.execute([&] {
    tbb::parallel_for(0, 10'000, [&](int) { others += std::this_thread::get_id() != me; });
  });
  EXPECT_EQ(others.load(), 0);
}

TEST(Controls, WhatIsLeftInAnArenaWaitsForAThreadWhereNoWorkerIsAllowed) {
  // The limit is older than the arena, so no worker is on its way out of it.
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  tbb::task_arena arena;
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> has_run{false};
    tbb::task_group group;
    arena.execute([&] { group.run([&] { has_run = true; }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_FALSE(has_run);
    arena.execute([&] { group.wait(); });
    EXPECT_TRUE(has_run);
  }
}

TEST(Controls, MoreThreadsThanProcessors) {
  tbb::global_control eight(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena arena(8);
  std::atomic<int> inside{0}, most{0};
  arena.execute([&] {
    tbb::parallel_for(
        0, 64,
        [&](int) {
          const int now = ++inside;
          int seen = most.load();
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          std::this_thread::sleep_for(5ms);
          --inside;
        },
        tbb::simple_partitioner{});
  });
  EXPECT_GT(most.load(), 2);
  EXPECT_LE(most.load(), 8);
}

TEST(Controls, TheSchedulerCanBeAwaited) {
  tbb::task_scheduler_handle handle{tbb::attach{}};
  tbb::parallel_for(0, 1000, [](int) {});
  EXPECT_TRUE(static_cast<bool>(handle));
  EXPECT_TRUE(tbb::finalize(handle, std::nothrow));
  EXPECT_FALSE(static_cast<bool>(handle));
}

class counting_observer : public tbb::task_scheduler_observer {
 public:
  explicit counting_observer(tbb::task_arena& a) : tbb::task_scheduler_observer(a) {}
  ~counting_observer() override { observe(false); }
  void on_scheduler_entry(bool) override {
    ++entries;
    const std::lock_guard held(lock);
    if (!inside.insert(std::this_thread::get_id()).second) ++wrong;
  }
  void on_scheduler_exit(bool) override {
    ++exits;
    const std::lock_guard held(lock);
    if (inside.erase(std::this_thread::get_id()) != 1) ++wrong;
  }
  bool has_seen_me() {
    const std::lock_guard held(lock);
    return inside.count(std::this_thread::get_id()) == 1;
  }
  std::atomic<int> entries{0}, exits{0}, wrong{0};
  std::mutex lock;
  std::set<std::thread::id> inside;
};

TEST(Observer, IsToldBeforeATaskRunsAndWhenTheThreadLeaves) {
  tbb::task_arena arena(3);
  counting_observer observer(arena);
  observer.observe(true);
  std::atomic<int> unknown{0};
  for (int round = 0; round < 20; ++round)
    arena.execute(
        [&] { tbb::parallel_for(0, 200, [&](int) { unknown += !observer.has_seen_me(); }); });
  EXPECT_EQ(unknown.load(), 0);
  EXPECT_GE(observer.entries.load(), 20);
  EXPECT_TRUE(eventually([&] { return observer.entries.load() == observer.exits.load(); }));
  EXPECT_EQ(observer.wrong.load(), 0);
  observer.observe(false);
  const int before = observer.entries.load();
  arena.execute([&] { tbb::parallel_for(0, 200, [](int) {}); });
  EXPECT_EQ(observer.entries.load(), before);
}

TEST(Observer, OfTheThreadsOwnArena) {
  struct one : tbb::task_scheduler_observer {
    void on_scheduler_entry(bool is_worker) override { entries += !is_worker; }
    std::atomic<int> entries{0};
  } observer;
  observer.observe(true);
  tbb::parallel_for(0, 100, [](int) {});
  EXPECT_EQ(observer.entries.load(), 1);
  observer.observe(false);
}

// Sums with the library when its thread ends.
struct late_user {
  ~late_user() {
    if (sum == nullptr) return;
    tbb::parallel_for(1, 101, [this](int i) { *sum += i; });
  }
  std::atomic<int>* sum = nullptr;
};

TEST(Threads, MayUseTheLibraryWhenTheyEnd) {
  std::atomic<int> sum{0};
  for (int round = 0; round < 10; ++round) {
    std::thread([&] {
      thread_local late_user last;  // made before the library's first use, so destroyed after it
      last.sum = &sum;
      tbb::parallel_for(0, 100, [](int) {});
    }).join();
  }
  EXPECT_EQ(sum.load(), 10 * 5050);
}

TEST(Threads, EndWhileTheirTasksAreLeft) {
  tbb::task_group group;
  std::atomic<int> ran{0};
  std::thread([&] {
    for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  }).join();
  group.wait();
  EXPECT_EQ(ran.load(), 100);
}

}  // namespace
