// The assembly of the fast path against the C++ of split_control, in lockstep: the models run the
// C++, programs on x86-64 the assembly, on AArch64 the C++ at an address from assembly. Each
// operation is done by both, on controls that start alike, and every field is compared afterwards.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "heist/detail/hot_path.hpp"

namespace heist_test {
namespace {

using heist::deque::steal_result;
using heist::detail::control;
using heist::detail::hot_path;
using heist::detail::job;
using heist::detail::position;
using heist::detail::this_control;
using heist::detail::wide_position;

constexpr position stride = sizeof(job);

// Makes this thread's control that of an empty deque, and again what it was.
class borrowed_control {
 public:
  borrowed_control(position capacity, char* memory)
      : capacity_(this_control.capacity), unasked_(this_control.unasked) {
    seat_ = this_control.seat.load(std::memory_order_relaxed);
    limit_ = this_control.limit.load(std::memory_order_relaxed);
    this_control.reseat(0, memory);
    this_control.limit.store(capacity, std::memory_order_relaxed);
    this_control.capacity = this_control.unasked = capacity;
  }
  ~borrowed_control() {
    this_control.expose_all();
    while (this_control.steal().result == heist::deque::steal_result::taken) {
    }
    this_control.reseat(0, seat_);
    this_control.limit.store(limit_, std::memory_order_relaxed);
    this_control.capacity = capacity_;
    this_control.unasked = unasked_;
  }
  borrowed_control(const borrowed_control&) = delete;
  borrowed_control& operator=(const borrowed_control&) = delete;

 private:
  position capacity_, unasked_;
  char* seat_;
  position limit_;
};

class lockstep {
 public:
  lockstep(position jobs, unsigned seed)
      : random_(seed),
        capacity_(jobs * stride),
        borrowed_(capacity_, memory_of_assembly_.data()),
        model_(capacity_, memory_of_model_.data(), capacity_) {
    auto word = model_.word.load();
    EXPECT_TRUE(model_.word.compare_exchange(word, this_control.word.load()));  // the tag, too
  }

  void step() {
    switch (random_() % 10) {
      case 0:
      case 1:
      case 2:
      case 3:
        return push();
      case 4:
      case 5:
      case 6:
        return pop();
      case 7:
        return steal();
      case 8:
        this_control.ask();
        return model_.ask();
      default:
        ASSERT_EQ(this_control.expose([] {}), model_.expose([] {}));
    }
  }

  void compare() {
    ASSERT_EQ(this_control.head.load(std::memory_order_relaxed),
              model_.head.load(std::memory_order_relaxed));
    ASSERT_EQ(this_control.limit.load(std::memory_order_relaxed),
              model_.limit.load(std::memory_order_relaxed));
    ASSERT_TRUE(this_control.word.load() == model_.word.load());
    ASSERT_EQ(this_control.seat.load(std::memory_order_relaxed), memory_of_assembly_.data());
    ASSERT_EQ(this_control.capacity, capacity_);
  }

 private:
  void push() {
    const wide_position h = hot_path::depth();
    ASSERT_EQ(h, model_.depth());
    if (h > capacity_) return;  // the spare position is used as well
    ASSERT_EQ(reinterpret_cast<char*>(&hot_path::slot(h)), memory_of_assembly_.data() + h);
    hot_path::publish(h);
    model_.publish(static_cast<position>(h));
    ASSERT_EQ(hot_path::asked(h), model_.asked(static_cast<position>(h)));
    if (!hot_path::asked(h)) return;
    const auto one = this_control.on_limit(static_cast<position>(h));
    const auto other = model_.on_limit(static_cast<position>(h));
    ASSERT_EQ(one.pushed, other.pushed);
    ASSERT_EQ(one.exposed, other.exposed);
    ASSERT_EQ(one.items, other.items);
  }

  // Of each kind that the assembly keeps in a register of its own, or doesn't.
  bool take_private(wide_position h) {
    switch (random_() % 4) {
      case 0: {
        std::uint64_t first = random_();
        const std::uint64_t before = first;
        const bool taken = hot_path::take_private(h, first);
        EXPECT_EQ(first, before);
        return taken;
      }
      case 1: {
        signed char first = -3;
        const bool taken = hot_path::take_private(h, first);
        EXPECT_EQ(first, -3);
        return taken;
      }
      case 2: {
        std::string first = "an object";
        const bool taken = hot_path::take_private(h, first);
        EXPECT_EQ(first, "an object");
        return taken;
      }
      default:
        return hot_path::take_private(h);
    }
  }

  void pop() {
    const position top = model_.depth();
    if (top == 0) return;
    const position h = top - stride;
    const bool taken = take_private(h);
    ASSERT_EQ(taken, model_.take_private(h));
    if (taken) return;
    std::uint32_t one = 0;
    std::uint32_t other = 0;
    const auto result = this_control.pop_slow(h, one);
    ASSERT_EQ(result, model_.pop_slow(h, other));
    ASSERT_EQ(one, other);
    if (result == heist::deque::pop_result::taken) return;
    this_control.reseat(h, memory_of_assembly_.data());
    model_.reseat(h, memory_of_model_.data());
  }

  void steal() {
    const auto one = this_control.steal();
    const auto other = model_.steal();
    ASSERT_EQ(one.result, other.result);
    if (one.result == steal_result::taken) {
      ASSERT_EQ(one.item - memory_of_assembly_.data(), other.item - memory_of_model_.data());
    }
  }

  std::mt19937 random_;
  alignas(64) std::array<char, 66 * stride> memory_of_assembly_{};
  alignas(64) std::array<char, 66 * stride> memory_of_model_{};
  position capacity_;
  borrowed_control borrowed_;
  control model_;
};

class SplitLockstep : public testing::TestWithParam<position> {};

TEST_P(SplitLockstep, AssemblyAndModelDoTheSame) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  lockstep both(GetParam(), seed);
  for (int step = 0; step < 200'000; ++step) {
    both.step();
    both.compare();
    if (HasFatalFailure()) FAIL() << "in step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Capacities, SplitLockstep, testing::Values(1U, 2U, 4U, 64U));

}  // namespace
}  // namespace heist_test
