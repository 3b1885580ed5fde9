// The split deque with thieves that expose at every turn: each item is taken once, although thieves
// read their slots before the exchange and the owner writes slots again while a proposal is
// pending.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "heist/deque/split.hpp"

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

}  // namespace
}  // namespace heist_test
