// The split deque with thieves that expose at every turn: each item is taken once, although thieves
// read their slots before the exchange and the owner writes slots again while a proposal is
// pending.
#include <gtest/gtest.h>

#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "heist/deque/split.hpp"
#include "heist/deque/split_control.hpp"
#include "platform/barrier.hpp"
#include "platform/thread.hpp"

namespace heist_test {
namespace {

using heist::deque::push_result;
using heist::deque::steal_result;
using split = heist::deque::split<std::uintptr_t>;

#if defined(HEIST_TEST_EMULATED)
constexpr std::size_t items = 1'000;
#else
constexpr std::size_t items = 5'000;
#endif

class exposed_deque {
 public:
  exposed_deque(std::size_t capacity, unsigned seed)
      : deque_(capacity), random_(seed), contents_(items), taken_(items) {}

  void run(unsigned thieves) {
    const auto me = heist::deque::heavy_barrier_target::this_thread();
    std::vector<std::thread> threads;
    push();  // private: nobody has asked
    for (unsigned t = 0; t < thieves; ++t) threads.emplace_back([this, me] { steal_all(me); });
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    // From here on a thief runs.
    while (exposed_.load(std::memory_order_relaxed) == 0 &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
    push_all();
    // Acquire: the partner is the release in take(). If the deadline is reached, the check below
    // finds an item missing.
    while (count_.load(std::memory_order_acquire) < items &&
           std::chrono::steady_clock::now() < deadline)
      pop();
    over_.store(true, std::memory_order_relaxed);
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(deque_.owner().pop(), std::nullopt);
    EXPECT_EQ(deque_.thief().steal().result, steal_result::empty);
    for (std::size_t i = 0; i < items; ++i)
      ASSERT_EQ(taken_[i].load(std::memory_order_relaxed), 1U) << "item " << i;
    EXPECT_EQ(wrong_.load(std::memory_order_relaxed), 0U);
    EXPECT_GT(exposed_.load(std::memory_order_relaxed), 0U);
  }

 private:
  void push_all() {
    while (next_ < items) {
      for (auto n = 1 + random_() % 4; n > 0 && next_ < items && push(); --n) {
      }
      if (random_() % 64 == 0)
        std::this_thread::yield();  // with private items, for thieves to expose
      for (auto n = random_() % 4; n > 0; --n) pop();
      if (random_() % 256 == 0) std::this_thread::yield();
      if (deque_.owner().size_hint() == 0) pop();  // starts again
    }
  }

  bool push() {
    contents_[next_] = next_ + 1;
    if (deque_.owner().push(next_) == push_result::full) return false;
    ++next_;
    return true;
  }

  void pop() {
    if (const auto item = deque_.owner().pop()) take(*item);
  }

  void steal_all(heist::deque::heavy_barrier_target owner) {
    auto thief = deque_.thief();
    while (!over_.load(std::memory_order_relaxed)) {
      exposed_.fetch_add(thief.expose([&]() noexcept { heist::deque::heavy_barrier(owner); }),
                         std::memory_order_relaxed);
      const auto answer = thief.steal();
      if (answer.result == steal_result::taken) take(answer.item);
    }
  }

  // The non-atomic value that the pusher wrote before its push must be visible.
  void take(std::uintptr_t item) {
    if (item >= items || contents_[item] != item + 1) {
      wrong_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    taken_[item].fetch_add(1, std::memory_order_relaxed);
    count_.fetch_add(1, std::memory_order_release);
  }

  split deque_;
  std::mt19937 random_;
  std::size_t next_ = 0;  // the owner's
  std::vector<std::uintptr_t> contents_;
  std::vector<std::atomic<unsigned>> taken_;
  std::atomic<std::size_t> count_{0};
  std::atomic<std::size_t> exposed_{0};
  std::atomic<std::size_t> wrong_{0};
  std::atomic<bool> over_{false};
};

class SplitExposed : public testing::TestWithParam<std::tuple<std::size_t, unsigned>> {};

TEST_P(SplitExposed, EveryItemIsTakenOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  exposed_deque(std::get<0>(GetParam()), seed).run(std::get<1>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(CapacitiesAndThieves, SplitExposed,
                         testing::Combine(testing::Values(2U, 3U, 4U, 64U),
                                          testing::Values(1U, 2U, 3U)));

// ---- One owner and several thieves that also expose, at capacities of 1 to 4: each item runs
// exactly once, whichever thread takes it.

using heist::deque::pop_result;
using heist::platform::asymmetric_barrier;

constexpr std::uint32_t stride = 8;
using control = heist::deque::split_control<heist::deque::std_atomics, stride>;
using position = control::position;

#if defined(HEIST_TEST_EMULATED)
constexpr std::uint64_t items_wanted = 3'000;
#else
constexpr std::uint64_t items_wanted = 60'000;
#endif
constexpr std::uint64_t poison = ~std::uint64_t{0};

// A slot holds the number of the item, or poison.
class arena {
 public:
  explicit arena(std::uint32_t capacity, unsigned seed)
      : memory_(std::make_unique<std::uint64_t[]>(capacity + 1)),
        control_(capacity * stride, reinterpret_cast<char*>(memory_.get()), capacity * stride),
        random_(seed),
        runs_(std::make_unique<std::atomic<unsigned>[]>(items_wanted)) {
    for (std::uint32_t i = 0; i <= capacity; ++i) memory_[i] = poison;
  }

  void run() {
    auto& barrier = asymmetric_barrier::instance();
    barrier.admit_this_thread();
    tid_ = heist::platform::thread_id();
    std::vector<std::thread> thieves;
    for (unsigned t = 0; t < 3; ++t) thieves.emplace_back([this] { thief(); });
    while (next_ < items_wanted) owner(0);
    finished_.store(true, std::memory_order_release);
    for (auto& thread : thieves) thread.join();
    EXPECT_FALSE(control_.has_work());
    for (std::uint64_t i = 0; i < next_ && i < items_wanted; ++i)
      ASSERT_EQ(runs_[i].load(std::memory_order_relaxed), 1U) << "item " << i;
    EXPECT_EQ(poisoned_.load(std::memory_order_relaxed), 0U);
    ::testing::Test::RecordProperty("stolen",
                                    static_cast<int>(stolen_.load(std::memory_order_relaxed)));
  }

 private:
  // Forks, goes deeper once or twice, and joins.
  void owner(unsigned depth) {
    if (next_ >= items_wanted || depth > 6) return;
    const position h = control_.depth();
    const std::uint64_t item = next_++;
    memory_[h / stride] = item;
    control_.publish(h);
    if (control_.asked(h)) static_cast<void>(control_.on_limit(h));
    for (auto r = random_() % 3; r > 0; --r) owner(depth + 1);
    for (auto r = random_() % 64; r > 0; --r) asm volatile("");
    if (random_() % 64 == 0) sched_yield();

    std::uint32_t reclaimed = 0;
    if (control_.take_private(h) || control_.pop_slow(h, reclaimed) == pop_result::taken) {
      runs_[item].fetch_add(1, std::memory_order_relaxed);
    } else {
      // Acquire: the partner is in thief(); the slot is free again.
      while (runs_[item].load(std::memory_order_acquire) == 0) sched_yield();
      control_.reseat(h, reinterpret_cast<char*>(memory_.get()));
    }
    memory_[h / stride] = poison;
  }

  void thief() {
    unsigned idle = 0;
    while (!finished_.load(std::memory_order_acquire)) {
      const auto answer = control_.steal();
      if (answer.result == steal_result::taken) {
        idle = 0;
        const std::uint64_t item = *reinterpret_cast<std::uint64_t*>(answer.item);
        if (item >= items_wanted) {
          poisoned_.fetch_add(1, std::memory_order_relaxed);
          continue;
        }
        stolen_.fetch_add(1, std::memory_order_relaxed);
        runs_[item].fetch_add(1, std::memory_order_release);
      } else if (answer.result == steal_result::empty) {
        if (++idle % 4 == 0)
          static_cast<void>(control_.expose(
              [this] { asymmetric_barrier::instance().heavy_barrier(std::array{tid_}); }));
        else
          control_.ask();
        if (idle % 16 == 0) sched_yield();
      }
    }
  }

  std::unique_ptr<std::uint64_t[]> memory_;
  control control_;
  std::mt19937 random_;
  std::unique_ptr<std::atomic<unsigned>[]> runs_;
  std::uint64_t next_ = 0;
  pid_t tid_ = 0;
  std::atomic<bool> finished_{false};
  std::atomic<std::uint64_t> poisoned_{0};
  std::atomic<std::uint64_t> stolen_{0};
};

class SplitConcurrent : public testing::TestWithParam<std::uint32_t> {};

TEST_P(SplitConcurrent, EveryItemRunsOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  arena(GetParam(), seed).run();
}

INSTANTIATE_TEST_SUITE_P(Capacities, SplitConcurrent, testing::Values(1U, 2U, 3U, 4U, 64U));

}  // namespace
}  // namespace heist_test
