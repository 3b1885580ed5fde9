// Every deque with its owner and one to eight thieves for a while: each item is taken exactly once,
// by a thread that sees what its pusher wrote, and no item is left over.
//
// Items point to nodes whose payload is not atomic: it is poison until the owner writes it before
// the push, and the one that takes the node checks it and poisons it again. An item that is taken
// twice, or without the writes before its push, shows as a wrong payload, and ThreadSanitizer
// reports a data race.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "heist/deque/heavy_barrier.hpp"
#include "tests/stress/budget.hpp"
#include "tests/unit/deque/deque_types.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::deque::batched_deque;
using heist::deque::push_result;
using heist::deque::steal_result;

constexpr std::uint64_t poison = 0xDEAD'DEAD'DEAD'DEADULL;
constexpr std::size_t nodes = static_cast<std::size_t>(scaled(4000));
constexpr std::size_t most_at_once = 600;  // so that growing deques grow

struct node {
  std::uint64_t payload = poison;  // the pusher's, then the taker's
  std::uint64_t key = 0;           // written before the threads start
};

// The counts of one thread; they are read after it has ended.
struct tally {
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;
  std::uint64_t batches = 0;  // steals that kept some items
  std::uint64_t exposed = 0;  // by a thief, without the owner
};

template <class Case>
class crowd {
 public:
  using deque = typename Case::template deque<node*>;

  crowd(std::size_t capacity, unsigned thieves, std::uint64_t seed)
      : deque_(capacity), random_(seed), tallies_(thieves) {
    for (std::size_t i = 0; i < nodes; ++i) nodes_[i].key = seed + 1 + i;
    for (unsigned t = 0; t < thieves; ++t) own_.push_back(std::make_unique<deque>(64));
    for (unsigned t = 0; t < thieves; ++t)
      threads_.emplace_back([this, t] { steal_until_over(t); });
  }
  ~crowd() { end(); }
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;

  // Called by the owner. Pushes every node once, pops some, and every second time leaves the rest
  // to the thieves.
  void run_once() {
    taken_.store(0, std::memory_order_relaxed);  // no thread has an item now
    auto owner = deque_.owner();
    for (std::size_t next = 0; next < nodes;) {
      for (std::uint64_t n = burst(); n > 0 && next < nodes; --n) {
        nodes_[next].payload = ~nodes_[next].key;
        if (owner.push(&nodes_[next]) == push_result::ok) {
          ++next;
          continue;
        }
        ASSERT_NE(Case::rules.full, fullness::never);
        nodes_[next].payload = poison;
        if (const auto one = owner.pop()) take(*one, owner_tally_);
        break;
      }
      if (random_() % 4 == 0) expose(owner);
      for (std::uint64_t n = random_() % 4 == 0 ? most_at_once : random_() % 4; n > 0; --n) {
        const auto one = owner.pop();
        if (!one) break;
        take(*one, owner_tally_);
      }
      if constexpr (requires { owner.shrink_to_fit(); })
        if (random_() % 64 == 0) static_cast<void>(owner.shrink_to_fit());
    }
    leave_to_thieves_ = !leave_to_thieves_;
    if (leave_to_thieves_)
      expose(owner);
    else
      while (const auto one = owner.pop()) take(*one, owner_tally_);
    // Acquire: the partner is the release in take().
    ASSERT_TRUE(eventually([&] { return taken_.load(std::memory_order_acquire) >= nodes; }))
        << taken_.load(std::memory_order_relaxed) << " of " << nodes << " were taken";
    ASSERT_EQ(taken_.load(std::memory_order_relaxed), nodes);
    ASSERT_EQ(owner.pop(), std::nullopt);
    ASSERT_EQ(wrong_.load(std::memory_order_relaxed), 0U) << "a node that was taken wasn't in";
    for (std::size_t i = 0; i < nodes; ++i) ASSERT_EQ(nodes_[i].payload, poison) << "node " << i;
    pushed_ += nodes;
  }

  // Ends the threads and adds up their counts.
  tally end() {
    over_.store(true, std::memory_order_relaxed);
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    tally all = owner_tally_;
    for (const tally& t : tallies_) {
      all.taken += t.taken;
      all.lost += t.lost;
      all.batches += t.batches;
      all.exposed += t.exposed;
    }
    return all;
  }
  [[nodiscard]] std::uint64_t pushed() const { return pushed_; }
  [[nodiscard]] std::uint64_t popped() const { return owner_tally_.taken; }

 private:
  std::uint64_t burst() { return random_() % 8 == 0 ? most_at_once : 1 + random_() % 8; }

  void take(node* one, tally& mine) {
    if (one->payload != ~one->key) wrong_.fetch_add(1, std::memory_order_relaxed);
    one->payload = poison;
    ++mine.taken;
    taken_.fetch_add(1, std::memory_order_acq_rel);  // partner: the owner's wait
  }

  void steal_until_over(unsigned self) {
    std::mt19937_64 random(self);
    auto owner_of_own = own_[self]->owner();
    while (!over_.load(std::memory_order_relaxed)) {
      if (!steal_from(victim(random, self), owner_of_own, random, tallies_[self]))
        std::this_thread::yield();
      if (random() % 2 == 0) continue;  // other thieves may get the items that it keeps
      while (const auto one = owner_of_own.pop()) take(*one, tallies_[self]);
    }
  }

  // The victim is mostly the owner's deque; if steals of several items fill the thieves' own
  // deques, these too.
  deque& victim(std::mt19937_64& random, unsigned self) {
    if (!batched_deque<deque> || random() % 3 != 0) return deque_;
    const std::size_t other = random() % own_.size();
    return other == self ? deque_ : *own_[other];
  }

  template <class Owner>
  bool steal_from(deque& from, [[maybe_unused]] Owner& mine, std::mt19937_64& random, tally& seen) {
    auto thief = from.thief();
    if constexpr (batched_deque<deque>) {
      if (random() % 2 == 0) {
        const auto got = thief.steal_into(mine);
        seen.lost += got.result == steal_result::lost ? 1 : 0;
        if (got.result != steal_result::taken) return false;
        seen.batches += got.kept > 0 ? 1 : 0;
        take(got.item, seen);
        return true;
      }
    }
    const auto got = thief.steal();
    seen.lost += got.result == steal_result::lost ? 1 : 0;
    if (got.result == steal_result::taken) {
      take(got.item, seen);
      return true;
    }
    if constexpr (requires { thief.expose(+[]() noexcept {}); })
      if (got.result == steal_result::empty && random() % 16 == 0)
        seen.exposed += thief.expose([&]() noexcept { heist::deque::heavy_barrier(owner_); });
    return false;
  }

  deque deque_;
  std::vector<std::unique_ptr<deque>> own_;  // a thief's each
  const std::unique_ptr<node[]> nodes_ = std::make_unique<node[]>(nodes);
  const heist::deque::heavy_barrier_target owner_ =
      heist::deque::heavy_barrier_target::this_thread();
  std::mt19937_64 random_;
  bool leave_to_thieves_ = false;
  std::uint64_t pushed_ = 0;
  tally owner_tally_;
  std::vector<tally> tallies_;
  std::atomic<std::uint64_t> taken_{0};  // of the nodes that are being pushed
  std::atomic<std::uint64_t> wrong_{0};
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

template <class Case>
void run_crowd(unsigned thieves, std::chrono::milliseconds usual) {
  const std::uint64_t seed = announced_seed();
  const watchdog guard(std::string(Case::name) + ", seed " + std::to_string(seed));
  const std::size_t capacities[] = {2, 3, 4, 64};
  for (const std::size_t capacity : capacities) {
    if (!has_capacity<typename crowd<Case>::deque>(capacity)) continue;
    crowd<Case> all(capacity, thieves, seed);
    const auto end = std::chrono::steady_clock::now() + time_budget(usual);
    do all.run_once();
    while (!testing::Test::HasFatalFailure() && std::chrono::steady_clock::now() < end);
    if (testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "capacity " << capacity << ", seed " << seed;
      return;
    }
    const tally sum = all.end();
    EXPECT_EQ(sum.taken, all.pushed());
    std::printf(
        "capacity %zu: %llu pushed, %llu popped, %llu lost, %llu batches, %llu exposed\n", capacity,
        static_cast<unsigned long long>(all.pushed()),
        static_cast<unsigned long long>(all.popped()), static_cast<unsigned long long>(sum.lost),
        static_cast<unsigned long long>(sum.batches), static_cast<unsigned long long>(sum.exposed));
  }
}

template <class Case>
class DequeCrowd : public testing::Test {};
TYPED_TEST_SUITE(DequeCrowd, all_deques, case_names);

constexpr std::chrono::milliseconds usual(250);

TYPED_TEST(DequeCrowd, OneThief) { run_crowd<TypeParam>(1, usual); }
TYPED_TEST(DequeCrowd, TwoThieves) { run_crowd<TypeParam>(2, usual); }
TYPED_TEST(DequeCrowd, ThreeThieves) { run_crowd<TypeParam>(3, usual); }
TYPED_TEST(DequeCrowd, EightThieves) { run_crowd<TypeParam>(8, usual); }

}  // namespace
}  // namespace heist_test
