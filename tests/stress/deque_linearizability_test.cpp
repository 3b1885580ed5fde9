// Short runs of every deque on real threads, each checked to be linearizable.
//
// In a round the owner and one or two thieves start together and run a few operations with short
// random pauses between them. One counter is the clock of all threads: its values before and after
// an operation are the times of call and return. The clock orders operations, not the steps inside
// them, so two operations that overlap race as they would without it. Without the clock a thread
// would publish its stores more slowly; deques_test.cpp tests this.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "platform/affinity.hpp"
#include "platform/cpu_count.hpp"
#include "tests/stress/budget.hpp"
#include "tests/unit/deque/deque_types.hpp"
#include "tests/unit/deque/linearizability.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {
namespace {

using heist::deque::batched_deque;
using heist::deque::push_result;
using heist::deque::steal_result;
using word = std::uintptr_t;

constexpr unsigned most_thieves = 2;

void spin_once(unsigned turn) {
  if (turn % 256 == 255) std::this_thread::yield();
}

// Puts each thread on a processor of its own, as far as there are enough: beside busy programs the
// scheduler would put all on one processor, where little overlaps. If the system refuses, nothing
// changes.
void settle(unsigned thread) {
  const std::vector<int> processors = heist::platform::affinity_cpus();
  if (!processors.empty())
    static_cast<void>(heist::platform::pin_this_thread(processors[thread % processors.size()]));
}

// A gate that all threads leave together.
class spin_gate {
 public:
  explicit spin_gate(unsigned threads) : threads_(threads) {}

  void pass() {
    // Acquire and release: all threads see afterwards what any did before. The last one opens the
    // gate.
    const unsigned generation = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      return;
    }
    for (unsigned turn = 0; generation_.load(std::memory_order_acquire) == generation; ++turn)
      spin_once(turn);
  }

 private:
  const unsigned threads_;
  std::atomic<unsigned> arrived_{0};
  std::atomic<unsigned> generation_{0};
};

class recorder {
 public:
  recorder(unsigned thread, std::atomic<std::uint64_t>& clock) : thread_(thread), clock_(clock) {}

  // `act` fills in the answers.
  void record(call what, const std::function<void(operation&)>& act) {
    operation op{thread_, what};
    op.called = tick();
    act(op);
    op.returned = tick();
    done_.push_back(std::move(op));
  }
  [[nodiscard]] const history& done() const { return done_; }

 private:
  // acq_rel: operations before a tick are not moved behind it, nor the other way round.
  std::uint64_t tick() { return clock_.fetch_add(1, std::memory_order_acq_rel); }

  unsigned thread_;
  std::atomic<std::uint64_t>& clock_;
  history done_;
};

void pause_for(std::uint64_t turns) {
  for (; turns > 0; --turns) asm volatile("");
}

template <class Deque>
void owner_steps(Deque& deque, recorder& seen, std::mt19937_64 random) {
  auto owner = deque.owner();
  char next = 1;
  const std::uint64_t pushes = 4 + random() % 4;  // of eight steps
  for (std::uint64_t n = 4 + random() % 7; n > 0; --n) {
    pause_for(random() % 64);
    const std::uint64_t choice = random() % 8;
    if (choice == 7) {
      if constexpr (requires { owner.expose_all(); })
        seen.record(call::expose, [&](operation&) { owner.expose_all(); });
    } else if (choice < pushes) {
      seen.record(call::push, [&](operation& op) {
        op.items = {next};
        const auto answer = owner.push(static_cast<word>(next));
        op.answer = answer == push_result::ok ? reply::done : reply::full;
      });
      ++next;
    } else {
      seen.record(call::pop, [&](operation& op) {
        const auto got = owner.pop();
        op.answer = got ? reply::taken : reply::empty;
        if (got) op.items = {static_cast<char>(*got)};
      });
    }
  }
}

reply reply_of(steal_result result) {
  return result == steal_result::taken   ? reply::taken
         : result == steal_result::empty ? reply::empty
                                         : reply::lost;
}

// A steal of several counts as one step: the items kept are in a deque of the thief, where no other
// thread looks.
template <class Deque>
void thief_steps(Deque& deque, recorder& seen, std::mt19937_64 random) {
  auto thief = deque.thief();
  [[maybe_unused]] Deque own(64);
  for (std::uint64_t n = 3 + random() % 4; n > 0; --n) {
    pause_for(random() % 128);
    [[maybe_unused]] const bool several = random() % 2 == 0;
    seen.record(call::steal, [&](operation& op) {
      if constexpr (batched_deque<Deque>) {
        if (several) {
          auto mine = own.owner();
          const auto got = thief.steal_into(mine);
          op.answer = reply_of(got.result);
          while (const auto one = mine.pop()) op.items.insert(0, 1, static_cast<char>(*one));
          if (op.answer == reply::taken) op.items.insert(0, 1, static_cast<char>(got.item));
          return;
        }
      }
      const auto got = thief.steal();
      op.answer = reply_of(got.result);
      if (op.answer == reply::taken) op.items = {static_cast<char>(got.item)};
    });
  }
}

// Runs rounds until one is not linearizable, or the time is over.
template <class Case>
class rounds {
 public:
  using deque = typename Case::template deque<word>;

  rounds(unsigned thieves, std::uint64_t seed)
      : thieves_(thieves), seed_(seed), gate_(thieves + 1) {
    for (unsigned t = 1; t <= thieves; ++t)
      threads_.emplace_back([this, t] {
        settle(t);
        steal_in_rounds(t);
      });
  }
  ~rounds() {
    over_ = true;
    gate_.pass();
    for (auto& thread : threads_) thread.join();
  }
  rounds(const rounds&) = delete;
  rounds& operator=(const rounds&) = delete;

  // The first history that is not linearizable, as text; empty if there is none.
  std::string play(std::size_t capacity, std::chrono::steady_clock::duration budget) {
    std::string found;
    std::thread([&] {
      settle(0);
      found = play_as_owner(capacity, budget);
    }).join();
    return found;
  }
  [[nodiscard]] std::uint64_t played() const { return round_; }
  [[nodiscard]] std::uint64_t overlapping() const { return overlapping_; }

 private:
  std::string play_as_owner(std::size_t capacity, std::chrono::steady_clock::duration budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    while (std::chrono::steady_clock::now() < end) {
      const history all = play_one(capacity);
      if (!is_linearizable(all, Case::rules, capacity))
        return std::string(Case::name) + " of capacity " + std::to_string(capacity) +
               ", not linearizable:\n" + to_text(all);
    }
    return "";
  }

  history play_one(std::size_t capacity) {
    ++round_;
    deque_ = std::make_unique<deque>(capacity);
    clock_.store(1, std::memory_order_relaxed);  // the gate is between this and the threads
    recorder seen(0, clock_);
    gate_.pass();
    owner_steps(*deque_, seen, random_of(0));
    gate_.pass();
    drain(seen);
    history all = seen.done();
    for (unsigned t = 1; t <= thieves_; ++t)
      all.insert(all.end(), stolen_[t].begin(), stolen_[t].end());
    overlapping_ += has_overlap(all) ? 1 : 0;
    return all;
  }

  // The items left are in the history too, so that a lost item is noticed.
  void drain(recorder& seen) {
    auto owner = deque_->owner();
    bool is_empty = false;
    while (!is_empty)
      seen.record(call::pop, [&](operation& op) {
        const auto got = owner.pop();
        is_empty = !got;
        op.answer = got ? reply::taken : reply::empty;
        if (got) op.items = {static_cast<char>(*got)};
      });
  }

  void steal_in_rounds(unsigned thread) {
    for (;;) {
      gate_.pass();
      if (over_) return;
      recorder seen(thread, clock_);
      thief_steps(*deque_, seen, random_of(thread));
      stolen_[thread] = seen.done();
      gate_.pass();
    }
  }

  static bool has_overlap(const history& all) {
    for (const operation& a : all)
      for (const operation& b : all)
        if (a.thread < b.thread && a.called < b.returned && b.called < a.returned) return true;
    return false;
  }

  std::mt19937_64 random_of(unsigned thread) const {
    return std::mt19937_64(seed_ + 4 * round_ + thread);
  }

  const unsigned thieves_;
  const std::uint64_t seed_;
  // Written between rounds by the owner's threads, which follow one another; the gate publishes
  // them to the others.
  std::unique_ptr<deque> deque_;
  std::uint64_t round_ = 0;
  std::uint64_t overlapping_ = 0;
  bool over_ = false;
  // Each is written by its thread; the gate publishes it to the owner.
  std::array<history, most_thieves + 1> stolen_;
  std::atomic<std::uint64_t> clock_{1};
  spin_gate gate_;
  std::vector<std::thread> threads_;
};

template <class Case>
class DequeHistories : public testing::Test {};
TYPED_TEST_SUITE(DequeHistories, all_deques, case_names);

TYPED_TEST(DequeHistories, AreLinearizable) {
  const std::uint64_t seed = announced_seed();
  const watchdog guard("histories, seed " + std::to_string(seed));
  for (unsigned thieves = 1; thieves <= most_thieves; ++thieves) {
    rounds<TypeParam> all(thieves, seed);
    for (std::size_t capacity = 2; capacity <= 4; ++capacity) {
      if (!has_capacity<typename rounds<TypeParam>::deque>(capacity)) continue;
      ASSERT_EQ(all.play(capacity, time_budget(std::chrono::milliseconds(200))), "");
    }
    std::printf("%u thieves: %llu rounds, %llu with operations that overlap\n", thieves,
                static_cast<unsigned long long>(all.played()),
                static_cast<unsigned long long>(all.overlapping()));
  }
}

// A deque whose pop never checks whether a thief has the last item, and whose thief is slow.
template <class T>
class pops_without_exchange {
 public:
  explicit pops_without_exchange(std::size_t) {}

  struct owner_end {
    pops_without_exchange* deque;
    push_result push(T one) noexcept {
      const std::size_t b = deque->bottom_.load(std::memory_order_relaxed);
      deque->slots_[b].store(one, std::memory_order_relaxed);
      deque->bottom_.store(b + 1, std::memory_order_seq_cst);
      return push_result::ok;
    }
    std::optional<T> pop() noexcept {
      const std::size_t b = deque->bottom_.load(std::memory_order_relaxed);
      if (deque->top_.load(std::memory_order_seq_cst) >= b) return std::nullopt;
      deque->bottom_.store(b - 1, std::memory_order_seq_cst);
      return deque->slots_[b - 1].load(std::memory_order_relaxed);
    }
  };
  struct thief_end {
    pops_without_exchange* deque;
    heist::deque::steal_answer<T> steal() noexcept {
      std::size_t t = deque->top_.load(std::memory_order_seq_cst);
      if (t >= deque->bottom_.load(std::memory_order_seq_cst)) return {steal_result::empty, T{}};
      const T item = deque->slots_[t].load(std::memory_order_relaxed);
      std::this_thread::yield();
      if (deque->top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                              std::memory_order_relaxed))
        return {steal_result::taken, item};
      return {steal_result::lost, T{}};
    }
  };
  owner_end owner() noexcept { return {this}; }
  thief_end thief() noexcept { return {this}; }

 private:
  std::atomic<std::size_t> top_{0};
  std::atomic<std::size_t> bottom_{0};
  std::array<std::atomic<T>, 16> slots_{};
};

struct wrong_case {
  static constexpr const char* name = "pops without exchange";
  template <class T>
  using deque = pops_without_exchange<T>;
  static constexpr deque_rules rules{fullness::never, loss::oldest, false};
};

TEST(DequeHistoriesTest, ADequeThatPopsWithoutExchangeIsRefused) {
  const std::uint64_t seed = announced_seed();
  rounds<wrong_case> all(2, seed);
  const std::string found = all.play(16, std::chrono::seconds(60));
  EXPECT_NE(found, "");
  std::printf("after %llu rounds: %s", static_cast<unsigned long long>(all.played()),
              found.c_str());
}

}  // namespace
}  // namespace heist_test
