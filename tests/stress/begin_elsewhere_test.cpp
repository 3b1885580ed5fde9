// A spawner, or the first half of a fork, waits until the other half has begun on another worker,
// with every deque, join and idle policy, with four times as many workers as processors, and beside
// threads that keep these busy.
//
// Once this program stood still for 30 s with steal_half, stalling joins and spinning workers; this
// has not happened again. A thief might lose an entry on its way from the victim's deque to its
// own, an entry that it keeps while it runs something else, or an entry in a pool whose workers all
// search.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "heist/heist.hpp"
#include "tests/stress/budget.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using combination = std::tuple<heist::deque_kind, heist::join_kind, heist::idle_kind>;
using clock = std::chrono::steady_clock;

// Ends the process and prints the state of all pools if no child begins: `count` does not advance.
// It counts ticks of its own thread, so that stopping the whole machine is not taken for a hang.
class standstill_watch {
 public:
  explicit standstill_watch(const std::atomic<long>& count)
      : thread_([this, &count] {
          long seen = -1;
          for (int ticks = 0; !over_.load(std::memory_order_relaxed); ++ticks) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            const long now = count.load(std::memory_order_relaxed);
            if (now != seen) ticks = 0;
            seen = now;
            if (ticks < 300) continue;
            std::fprintf(stderr, "hang: nobody takes what is waited for\n%s",
                         heist::describe_pools().c_str());
            std::abort();
          }
        }) {}
  ~standstill_watch() {
    over_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  standstill_watch(const standstill_watch&) = delete;
  standstill_watch& operator=(const standstill_watch&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

// Functions that others wait for and that have begun. A round may take long where a busy machine
// gives workers little time: then few of these begin, but some do.
std::atomic<long> children{0};

// Waits as a user's function would, without a fork or a wait of heist, so the worker cannot do
// anything else.
class begun_flag {
 public:
  void raise() noexcept {
    children.fetch_add(1, std::memory_order_relaxed);
    up_.store(true, std::memory_order_release);
  }
  void wait() const noexcept {
    while (!up_.load(std::memory_order_acquire)) sched_yield();
  }

 private:
  std::atomic<bool> up_{false};
};

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = heist::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

void one_child() {
  begun_flag begun;
  heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
    s.spawn([&begun] { begun.raise(); });
    begun.wait();
  });
}

// Thieves take several entries at once, and run those that were spawned first.
void one_child_behind_others() {
  begun_flag begun;
  heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
    for (int i = 0; i < 5; ++i) s.spawn([] { fib(6); });
    s.spawn([&begun] { begun.raise(); });
    begun.wait();
  });
}

// The function that a thief runs first waits for one that the same thief keeps.
void one_that_waits_for_its_neighbour() {
  begun_flag begun;
  heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
    for (int i = 0; i < 3; ++i) s.spawn([&begun] { begun.wait(); });
    s.spawn([&begun] { begun.raise(); });
    begun.wait();
  });
}

void forks_in_forks() {
  const auto pair = [] {
    begun_flag begun;
    heist::fork_join([&begun] { begun.wait(); }, [&begun] { begun.raise(); });
  };
  heist::fork_join([] { fib(6); }, pair, [] { fib(8); }, pair);
}

class BeginElsewhere : public testing::TestWithParam<combination> {};

TEST_P(BeginElsewhere, WhileTheOtherOneWaits) {
  const auto [deque, join, idle] = GetParam();
  std::atomic<bool> over{false};
  std::vector<std::thread> burners;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    burners.emplace_back([&over] {
      while (!over.load(std::memory_order_relaxed)) {
      }
    });
  std::atomic<long> rounds{0};
  {
    const standstill_watch watch(children);
    const auto end = clock::now() + time_budget(std::chrono::milliseconds(300));
    while (clock::now() < end) {
      heist::pool pool({.workers = 8, .deque = deque, .join = join, .idle = idle});
      ASSERT_EQ(pool.run([] { return fib(10); }), 55);
      for (int i = 0; i < 20 && clock::now() < end; ++i) {
        pool.run(&one_child);
        pool.run(&one_child_behind_others);
        pool.run(&one_that_waits_for_its_neighbour);
        pool.run(&forks_in_forks);
        rounds.fetch_add(1, std::memory_order_relaxed);
      }
    }
  }
  over.store(true, std::memory_order_relaxed);
  for (std::thread& burner : burners) burner.join();
  RecordProperty("rounds", static_cast<int>(rounds.load(std::memory_order_relaxed)));
}

INSTANTIATE_TEST_SUITE_P(All, BeginElsewhere,
                         testing::Combine(testing::ValuesIn(heist::all_deque_kinds),
                                          testing::ValuesIn(heist::all_join_kinds),
                                          testing::ValuesIn(heist::all_idle_kinds)),
                         [](const auto& p) {
                           return std::string(to_string(std::get<0>(p.param))) + "_" +
                                  std::string(to_string(std::get<1>(p.param))) + "_" +
                                  std::string(to_string(std::get<2>(p.param)));
                         });

}  // namespace
}  // namespace heist_test
