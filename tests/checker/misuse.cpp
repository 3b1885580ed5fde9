// What `heist check` is to find, and what it is to leave alone: misuse CASE.
#include <semaphore.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <thread>

#include "heist/heist.hpp"

namespace {

using namespace std::chrono_literals;

std::mutex lock;
std::shared_mutex shared;
long sum = 0;

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

void fork_under_lock() {
  const std::lock_guard hold(lock);
  heist::fork_join([] { ++sum; }, [] {});
}
void spawn_under_lock() {
  const std::unique_lock hold(shared);
  heist::scope([](heist::task_scope& s) { s.spawn([] { ++sum; }); });
}
void child_under_lock() {
  const std::shared_lock hold(shared);
  heist::scope(heist::spawn_kind::child, [](heist::task_scope& s) { s.spawn([] { ++sum; }); });
}
void loop_under_lock() {
  const std::scoped_lock hold(lock);
  std::atomic<long> n{0};
  heist::parallel_for(0, 1000, [&](int) { ++n; });
}
void wait_under_lock() {
  heist::latch open(1);
  heist::fork_join(
      [&] {
        const std::lock_guard hold(lock);
        open.wait();
      },
      [&] { open.count_down(); });
}
void tried_lock() {
  if (!lock.try_lock()) return;
  heist::fork_join([] { ++sum; }, [] {});
  lock.unlock();
}

// Locks that end before the next fork, recursive ones and those of other threads.
void clean() {
  std::recursive_mutex again;
  for (int i = 0; i < 1000; ++i) {
    const std::lock_guard a(lock);
    const std::lock_guard b(again);
    const std::lock_guard c(again);
    ++sum;
  }
  heist::mutex own;
  const std::lock_guard hold(own);
  sum += fib(12);
}

void sleep() { std::this_thread::sleep_for(50ms); }
void sleep_long() { std::this_thread::sleep_for(1500ms); }
void lose_a_lock() {
  std::mutex wanted;
  std::unique_lock hold(wanted);
  std::thread other([&] {
    const std::lock_guard mine(wanted);
    std::this_thread::sleep_for(80ms);
  });
  hold.unlock();
  std::this_thread::sleep_for(5ms);
  hold.lock();
  hold.unlock();
  other.join();
}
void wait_for_a_thread() {
  std::mutex m;
  std::condition_variable changed;
  bool is_ready = false;
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    const std::lock_guard hold(m);
    is_ready = true;
    changed.notify_one();
  });
  std::unique_lock hold(m);
  changed.wait(hold, [&] { return is_ready; });
  hold.unlock();
  other.join();
}
void block_elsewhere() {
  heist::blocking([] { std::this_thread::sleep_for(50ms); });
}

// One worker runs for 300 ms while a function waits at the pool's entry.
void starve() {
  if (sum != 0) return;
  const auto begun = heist::submit([] { ++sum; });
  const auto end = std::chrono::steady_clock::now() + 300ms;
  while (std::chrono::steady_clock::now() < end) {
  }
}

const std::map<std::string_view, void (*)()> cases{{"fork", fork_under_lock},
                                                   {"spawn", spawn_under_lock},
                                                   {"child", child_under_lock},
                                                   {"loop", loop_under_lock},
                                                   {"wait", wait_under_lock},
                                                   {"tried", tried_lock},
                                                   {"clean", clean},
                                                   {"sleep", sleep},
                                                   {"sleep_long", sleep_long},
                                                   {"lose_a_lock", lose_a_lock},
                                                   {"thread", wait_for_a_thread},
                                                   {"elsewhere", block_elsewhere},
                                                   {"starve", starve}};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string_view name = argv[1];
  // A std::shared_mutex that another thread unlocks than the one that locked it is broken, and may
  // hang: nobody may steal the rest of the function that spawns.
  const unsigned workers = name == "starve" || name == "spawn" ? 1 : 2;
  heist::pool pool({.workers = workers});
  if (name == "outside") {
    // What the caller holds while it waits for its call, no function of the pool meets there.
    const std::lock_guard hold(lock);
    pool.run([] { sum += fib(12); });
    std::this_thread::sleep_for(50ms);
  } else if (const auto found = cases.find(name); found != cases.end()) {
    pool.run([&] {
      for (int i = 0; i < 3; ++i) found->second();
    });
  } else {
    return 2;
  }
  std::printf("%ld\n", sum);
}
