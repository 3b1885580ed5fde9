// Nobody waits for ever (turns.hpp): what has not begun gets its turn beside functions that are
// always ready, and beside calls that keep all workers busy.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/on_pools.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::pool;
using heist::priority;
using namespace std::chrono_literals;

// How two functions hand each other turns: give(side) lets the other one go on, take(side) waits.
struct hand_over {
  virtual ~hand_over() = default;
  virtual void give(int to) = 0;
  virtual void take(int side) = 0;
};
struct by_semaphore : hand_over {
  std::array<heist::counting_semaphore<>, 2> turn{heist::counting_semaphore<>(0),
                                                  heist::counting_semaphore<>(0)};
  void give(int to) override { turn[std::size_t(to)].release(); }
  void take(int side) override { turn[std::size_t(side)].acquire(); }
};
struct by_channel : hand_over {
  std::array<heist::channel<int>, 2> turn{heist::channel<int>(2), heist::channel<int>(2)};
  void give(int to) override { static_cast<void>(turn[std::size_t(to)].send(1)); }
  void take(int side) override { static_cast<void>(turn[std::size_t(side)].receive()); }
};
struct by_condition : hand_over {
  heist::mutex mutex;
  heist::condition_variable changed;
  std::array<int, 2> turns{};
  void give(int to) override {
    {
      const std::lock_guard hold(mutex);
      ++turns[std::size_t(to)];
    }
    changed.notify_all();
  }
  void take(int side) override {
    std::unique_lock hold(mutex);
    changed.wait(hold, [&] { return turns[std::size_t(side)] != 0; });
    --turns[std::size_t(side)];
  }
};
using make_hand_over = std::unique_ptr<hand_over> (*)();
template <class T>
std::unique_ptr<hand_over> make() {
  return std::make_unique<T>();
}

// Two functions that keep one worker busy for ever, as often as there are workers.
class pairs {
 public:
  pairs(unsigned count, make_hand_over make_one) {
    for (unsigned i = 0; i < count; ++i) all_.push_back(make_one());
  }
  void play(std::size_t pair, int side) {
    hand_over& turn = *all_[pair];
    while (!stop_) {
      turn.give(1 - side);
      turn.take(side);
      turns_.fetch_add(1, std::memory_order_relaxed);
    }
    turn.give(1 - side);
  }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] long turns() const { return turns_; }
  void stop() { stop_ = true; }

 private:
  std::vector<std::unique_ptr<hand_over>> all_;
  std::atomic<bool> stop_{false};
  std::atomic<long> turns_{0};
};

constexpr std::array<make_hand_over, 3> all_hand_overs{&make<by_semaphore>, &make<by_channel>,
                                                       &make<by_condition>};

class TurnsOnPools : public testing::TestWithParam<setting> {
 protected:
  static heist::pool_config config() {
    return {.workers = GetParam().workers, .deque = GetParam().deque, .join = GetParam().join};
  }
  // Calls f(pool, the pairs) while the pairs keep all workers busy.
  template <class F>
  void beside_pairs(F&& f) {
    for (const make_hand_over make_one : all_hand_overs) {
      pool p(config());
      pairs busy(p.workers(), make_one);
      std::vector<heist::future<void>> players;
      for (std::size_t i = 0; i < busy.size(); ++i)
        for (const int side : {0, 1})
          players.push_back(p.submit([&, i, side] { busy.play(i, side); }));
      const long enough = 1000;
      EXPECT_TRUE(eventually([&] { return busy.turns() > enough; }));
      f(p, busy);
      busy.stop();
      for (auto& one : players) one.get();
    }
  }
};

TEST_P(TurnsOnPools, SubmittedFunctionsBegin) {
  if (is_serial()) GTEST_SKIP() << "everything is a call";
  beside_pairs([](pool& p, pairs&) {
    for (const priority of : {priority::high, priority::normal, priority::low}) {
      std::atomic<bool> has_begun{false};
      auto asked = p.submit(of, [&] { has_begun = true; });
      EXPECT_TRUE(eventually([&] { return has_begun.load(); })) << int(of);
      asked.wait();
    }
  });
}

// It is ready in the lane of a worker that takes no turn, and all others have functions in theirs.
TEST_P(TurnsOnPools, WhatAWorkerWithoutWaitsHasMadeReadyGoesOn) {
  if (is_serial() || GetParam().workers == 1 || GetParam().join == heist::join_kind::stalling)
    GTEST_SKIP() << "nobody else may go on with it";
  beside_pairs([](pool& p, pairs&) {
    heist::counting_semaphore<> turn(0);
    std::atomic<int> waiting{0};
    std::atomic<int> gone_on{0};
    constexpr int waiters = 3;
    std::vector<heist::future<void>> all;
    for (int i = 0; i < waiters; ++i)
      all.push_back(p.submit(priority::high, [&] {
        ++waiting;
        turn.acquire();
        ++gone_on;
      }));
    EXPECT_TRUE(eventually([&] { return waiting == waiters; }));
    all.push_back(p.submit(priority::high, [&] {
      turn.release(waiters);
      EXPECT_TRUE(eventually([&] { return gone_on == waiters; }));
    }));
    for (auto& one : all) one.get();
  });
}

TEST_P(TurnsOnPools, CallsFromOutsideBegin) {
  if (is_serial()) GTEST_SKIP() << "everything is a call";
  beside_pairs([](pool& p, pairs& busy) {
    std::atomic<bool> has_begun{false};
    std::thread caller([&] { p.run([&] { has_begun = true; }); });
    EXPECT_TRUE(eventually([&] { return has_begun.load(); }));
    busy.stop();
    caller.join();
  });
}

TEST_P(TurnsOnPools, TheSpawnersRestGoesOn) {
  if (is_serial()) GTEST_SKIP() << "everything is a call";
  for (const make_hand_over make_one : all_hand_overs) {
    pool p(config());
    pairs busy(p.workers(), make_one);
    std::atomic<bool> goes_on{false};
    auto spawner = p.submit([&] {
      heist::scope([&](heist::task_scope& s) {
        for (std::size_t i = 0; i < busy.size(); ++i)
          for (const int side : {0, 1}) s.spawn([&, i, side] { busy.play(i, side); });
        goes_on = true;
      });
    });
    EXPECT_TRUE(eventually([&] { return goes_on.load(); }));
    busy.stop();
    spawner.get();
  }
}

// The caller's thread is one of the workers, and in a pool of one worker the only one.
TEST_P(TurnsOnPools, SubmittedFunctionsBeginBesideACaller) {
  if (is_serial()) GTEST_SKIP() << "everything is a call";
  pool p(config());
  pairs busy(p.workers(), &make<by_semaphore>);
  std::thread caller([&] {
    p.run([&] {
      heist::scope([&](heist::task_scope& s) {
        for (std::size_t i = 0; i < busy.size(); ++i)
          for (const int side : {0, 1}) s.spawn([&, i, side] { busy.play(i, side); });
      });
    });
  });
  EXPECT_TRUE(eventually([&] { return busy.turns() > 1000; }));
  for (const priority of : {priority::high, priority::normal, priority::low}) {
    std::atomic<bool> has_begun{false};
    auto asked = p.submit(of, [&] { has_begun = true; });
    EXPECT_TRUE(eventually([&] { return has_begun.load(); })) << int(of);
    if (!has_begun) busy.stop();
    asked.wait();
  }
  busy.stop();
  caller.join();
}

// ---- Calls that keep all workers busy, and end early only when `enough` is set.

using long_call = void (*)(std::atomic<bool>& enough);

void work(const std::atomic<bool>& enough) {
  if (!enough) linger(2us);
}
void loop(std::atomic<bool>& enough) {
  heist::parallel_for(0, 2'000'000, [&](int) { work(enough); });
}
void tree(std::atomic<bool>& enough, int depth) {
  if (enough) return;
  if (depth == 0) return work(enough);
  heist::fork_join([&] { tree(enough, depth - 1); }, [&] { tree(enough, depth - 1); });
}
void fork_tree(std::atomic<bool>& enough) { tree(enough, 21); }
void spawns(std::atomic<bool>& enough) {
  heist::scope([&](heist::task_scope& s) {
    for (int i = 0; i < 2'000'000 && !enough; ++i) s.spawn([&] { work(enough); });
  });
}

// A short call, or a function of high priority, begins while the long call goes on: several
// seconds, unless it is told that it is enough.
TEST_P(TurnsOnPools, UrgentFunctionsBeginBesideALongCall) {
  if (is_serial()) GTEST_SKIP() << "everything is a call";
  for (const long_call call : {&loop, &fork_tree, &spawns}) {
    for (const bool is_submitted : {false, true}) {
      pool p(config());
      std::atomic<bool> enough{false};
      std::atomic<bool> has_ended{false};
      const auto goes_on = [&] {
        call(enough);
        has_ended = true;
      };
      auto submitted = is_submitted ? p.submit(goes_on) : heist::future<void>{};
      std::thread caller;
      if (!is_submitted) caller = std::thread([&] { p.run(goes_on); });
      std::this_thread::sleep_for(20ms);
      std::optional<bool> in_time;
      p.run([&] { in_time = !has_ended; });
      EXPECT_EQ(in_time, true);
      p.submit(priority::high, [&] { in_time = !has_ended; }).wait();
      EXPECT_EQ(in_time, true);
      enough = true;
      if (is_submitted)
        submitted.get();
      else
        caller.join();
    }
  }
}

// A function under a policy of its own keeps its thread: it may be about something of the thread's.
TEST(TurnsUnderPolicies, AreNotGivenByForks) {
  if (is_serial()) GTEST_SKIP() << "everything is a call";
  for (const heist::policy of : {heist::policy::serial, heist::policy::stalling}) {
    pool p({.workers = 1});
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_inside{false};
    auto inside = p.submit([&] {
      heist::with(of, [&] {
        is_inside = true;
        const auto end = std::chrono::steady_clock::now() + 20ms;
        while (std::chrono::steady_clock::now() < end) heist::fork_join([] {}, [] {});
        EXPECT_FALSE(has_begun) << int(of);
      });
    });
    EXPECT_TRUE(eventually([&] { return is_inside.load(); }));
    p.submit(priority::high, [&] { has_begun = true; }).get();
    inside.get();
  }
}

// A turn that was given to an urgent root is not used for a steal, however many turns the worker
// has had from the entry in a row: what it steals may be long.
TEST(TurnsForUrgentRoots, AreNotUsedForASteal) {
  if (is_serial()) GTEST_SKIP() << "everything is a call";
  constexpr int calls = 200;
  std::atomic<bool> is_over{false};
  const auto churn = [&] {
    while (!is_over) heist::fork_join([] {}, [] {});
  };
  // The caller always has something to steal, and itself gives no turns.
  const std::function<void(int)> nest = [&](int depth) {
    if (depth == 0)
      churn();  // its forks make those above public
    else
      heist::fork_join([&] { nest(depth - 1); }, churn);
  };
  pool p({.workers = 2});
  ASSERT_TRUE(eventually([&] {
    const auto here = std::this_thread::get_id();
    return p.run([] { return std::this_thread::get_id(); }) == here;
  })) << "a worker sleeps, in whose seat the caller can work";
  std::thread caller([&] { p.run([&] { nest(calls); }); });
  bool have_all_begun = eventually([&] { return p.stats().total.steals != 0; });
  for (int i = 0; i < calls && have_all_begun; ++i) {
    const auto has_begun = std::make_shared<signal_flag>();
    static_cast<void>(p.submit(priority::high, [has_begun] { has_begun->raise(); }));
    const auto limit = std::chrono::steady_clock::now() + 10s;
    while (!has_begun->is_up() && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(20us);
    have_all_begun = has_begun->is_up();
    EXPECT_TRUE(have_all_begun) << "call " << i;
  }
  is_over = true;
  caller.join();
}

std::vector<setting> pools() {
  std::vector<setting> all;
  for (const unsigned workers : {1U, 2U, 3U, 8U}) all.push_back({workers});
  for (const heist::deque_kind deque : heist::all_deque_kinds)
    if (deque != heist::deque_kind::split) all.push_back({2, deque});
  all.push_back({1, heist::deque_kind::split, heist::join_kind::stalling});
  all.push_back({3, heist::deque_kind::split, heist::join_kind::stalling});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Pools, TurnsOnPools, testing::ValuesIn(pools()), name_of);

}  // namespace
}  // namespace heist_test
