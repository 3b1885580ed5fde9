// Compares the split deque's protocol on one thread with an oracle: a list of frames, each of which
// knows whether its item was taken.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "heist/deque/split_control.hpp"

namespace heist_test {
namespace {

using heist::deque::pop_result;
using heist::deque::steal_result;

constexpr std::uint32_t stride = 8;
using control = heist::deque::split_control<heist::deque::std_atomics, stride>;
using position = control::position;

const auto no_barrier = [] {};

struct frame {
  position at;
  bool pushed;  // false: the deque was full
  bool taken = false;
};

// The open frames of one fiber, and its memory.
struct stack_of_frames {
  std::vector<frame> frames;
  std::array<char, 16 * stride> memory{};
};

// The deque and its oracle; every operation is applied to both.
class checked_deque {
 public:
  checked_deque(std::uint32_t capacity, unsigned seed)
      : random_(seed),
        capacity_(capacity * stride),
        control_(capacity_, fibers_[0].memory.data(), capacity_) {}

  void step() {
    switch (random_() % 8) {
      case 0:
      case 1:
      case 2:
        return push();
      case 3:
      case 4:
        return pop();
      case 5:
        return steal();
      case 6:
        return control_.ask();
      default:
        return expose();
    }
  }

  void drain() {
    while (!fibers_[0].frames.empty() || !fibers_[1].frames.empty()) {
      if (running_->frames.empty()) wake(running_ == &fibers_[0] ? fibers_[1] : fibers_[0]);
      pop();
      if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_FALSE(control_.has_work());
  }

  void check() const {
    const auto w = control_.word.load();
    ASSERT_LE(w.tail, w.split);
    ASSERT_LE(w.split, w.bound);
    ASSERT_LE(w.bound, capacity_);
    std::uint32_t open = 0;
    for (const frame& f : running_->frames) {
      if (!f.pushed || f.taken) continue;
      ++open;
      ASSERT_GE(f.at, w.tail);
      ASSERT_LT(f.at, control_.depth());
    }
    ASSERT_EQ(control_.has_work(), open != 0);
    ASSERT_EQ(control_.has_public(), w.tail != w.split);
  }

 private:
  frame* oldest() {
    for (frame& f : running_->frames)
      if (f.pushed && !f.taken) return &f;
    return nullptr;
  }

  void push() {
    if (running_->frames.size() > 12) return;
    const position h = control_.depth();
    ASSERT_EQ(h, expected_depth());
    const auto before = control_.word.load();
    const bool was_asked = control_.limit.load(std::memory_order_relaxed) == 0;
    control_.publish(h);
    ASSERT_EQ(control_.asked(h), was_asked || h >= capacity_);
    if (!control_.asked(h)) {
      running_->frames.push_back({h, true});
      return;
    }
    const auto answer = control_.on_limit(h);
    ASSERT_EQ(answer.pushed, h < capacity_);
    running_->frames.push_back({h, answer.pushed});
    const position top = std::min(h + stride, capacity_);
    const std::uint32_t privates = (top - std::min(top, before.split)) / stride;
    ASSERT_EQ(answer.items, was_asked ? (privates + 1) / 2 : 0U);
    ASSERT_EQ(answer.exposed, answer.items != 0);
    if (answer.exposed) {
      ASSERT_EQ(control_.limit.load(std::memory_order_relaxed), capacity_);
    }
  }

  void pop() {
    if (running_->frames.empty()) return;
    const frame f = running_->frames.back();
    const auto before = control_.word.load();
    std::uint32_t reclaimed = 0;
    pop_result result = pop_result::taken;
    if (!control_.take_private(f.at)) result = control_.pop_slow(f.at, reclaimed);
    ASSERT_EQ(result == pop_result::stolen, f.taken);
    running_->frames.pop_back();
    const std::uint32_t publics = (before.split - before.tail) / stride;
    if (result == pop_result::taken && f.pushed && f.at < before.split) {
      ASSERT_EQ(reclaimed, (publics + 1) / 2);
    } else {
      ASSERT_EQ(reclaimed, 0U);
    }
    if (result == pop_result::stolen) after_stolen(f);
  }

  // Either the job has ended already and the frame continues, or the frame waits and another fiber
  // runs.
  void after_stolen(const frame& f) {
    ASSERT_EQ(oldest(), nullptr) << "something older than a stolen item was left";
    if (random_() % 2 == 0 || in_barrier_) {
      control_.reseat(f.at, running_->memory.data());
      return;
    }
    running_->frames.push_back(f);
    wake(running_ == &fibers_[0] ? fibers_[1] : fibers_[0]);
  }

  void wake(stack_of_frames& next) {
    running_ = &next;
    // A suspended fiber waits for its newest frame, whose item is taken; it continues below that
    // frame.
    if (!next.frames.empty()) next.frames.pop_back();
    control_.reseat(expected_depth(), next.memory.data());
  }

  void steal() {
    const auto before = control_.word.load();
    frame* const wanted = oldest();
    const auto answer = control_.steal();
    if (before.tail == before.split) {
      ASSERT_EQ(answer.result, steal_result::empty);
      return;
    }
    ASSERT_EQ(answer.result, steal_result::taken);
    ASSERT_NE(wanted, nullptr);
    ASSERT_EQ(answer.item, running_->memory.data() + wanted->at);
    wanted->taken = true;
  }

  // The owner continues while the thief makes its barrier.
  void expose() {
    if (in_barrier_) return;
    in_barrier_ = true;
    static_cast<void>(control_.expose([this] {
      for (auto i = random_() % 5; i > 0; --i) step();
    }));
    in_barrier_ = false;
  }

  [[nodiscard]] position expected_depth() const {
    if (running_->frames.empty()) return 0;
    const frame& last = running_->frames.back();
    return last.pushed ? last.at + stride : last.at;
  }

  std::mt19937 random_;
  position capacity_;
  std::array<stack_of_frames, 2> fibers_;
  stack_of_frames* running_ = fibers_.data();
  control control_;
  bool in_barrier_ = false;
};

TEST(SplitControl, AgreesWithAnOracleOverRandomOperations) {
  for (std::uint32_t capacity = 1; capacity <= 4; ++capacity)
    for (unsigned seed = 1; seed <= 300; ++seed) {
      SCOPED_TRACE(testing::Message() << "capacity " << capacity << ", seed " << seed);
      checked_deque d(capacity, seed);
      for (int i = 0; i < 500; ++i) {
        d.step();
        d.check();
        if (testing::Test::HasFatalFailure()) return;
      }
      d.drain();
      if (testing::Test::HasFailure()) return;
    }
}

class SplitControlTest : public testing::Test {
 protected:
  static constexpr position capacity = 4 * stride;
  std::array<char, capacity + stride> memory_{};
  control control_{capacity, memory_.data(), capacity};

  void push() {
    const position h = control_.depth();
    control_.publish(h);
    if (control_.asked(h)) static_cast<void>(control_.on_limit(h));
  }
};

TEST_F(SplitControlTest, NothingIsPublicUntilSomebodyAsks) {
  push();
  push();
  EXPECT_EQ(control_.steal().result, steal_result::empty);
  EXPECT_FALSE(control_.has_public());
  EXPECT_TRUE(control_.has_work());
}

TEST_F(SplitControlTest, ARequestIsAnsweredWithTheOlderHalf) {
  push();
  push();
  control_.ask();
  push();
  EXPECT_EQ(control_.steal().item, memory_.data());
  EXPECT_EQ(control_.steal().item, memory_.data() + stride);
  EXPECT_EQ(control_.steal().result, steal_result::empty);
}

TEST_F(SplitControlTest, ARequestStaysUntilThereIsSomethingToGive) {
  control_.ask();
  EXPECT_EQ(control_.limit.load(std::memory_order_relaxed), 0U);
  push();
  EXPECT_EQ(control_.limit.load(std::memory_order_relaxed), capacity);
  EXPECT_TRUE(control_.has_public());
}

// Such pushes aren't requests: nothing becomes public.
TEST_F(SplitControlTest, ASmallLimitSendsEveryPushButTheFirstToTheSlowPath) {
  control_.unasked = 1;
  control_.limit.store(control_.unasked, std::memory_order_relaxed);
  EXPECT_FALSE(control_.asked(0));
  push();
  EXPECT_TRUE(control_.asked(control_.depth()));
  push();
  EXPECT_FALSE(control_.has_public());
  control_.ask();
  push();
  EXPECT_TRUE(control_.has_public());
  EXPECT_EQ(control_.limit.load(std::memory_order_relaxed), control_.unasked);
}

TEST_F(SplitControlTest, AFullDequeAnswersSoAndKeepsWhatItHas) {
  for (int i = 0; i < 4; ++i) push();
  const position h = control_.depth();
  ASSERT_EQ(h, capacity);
  control_.publish(h);
  ASSERT_TRUE(control_.asked(h));
  const auto answer = control_.on_limit(h);
  EXPECT_FALSE(answer.pushed);
  EXPECT_FALSE(answer.exposed);
  EXPECT_EQ(control_.depth(), capacity);
  EXPECT_TRUE(control_.take_private(h));
  std::uint32_t reclaimed = 0;
  for (position p = capacity; p > 0; p -= stride) {
    EXPECT_TRUE(control_.take_private(p - stride) ||
                control_.pop_slow(p - stride, reclaimed) == pop_result::taken);
  }
}

TEST_F(SplitControlTest, ARequestToAFullDequeIsAnsweredToo) {
  for (int i = 0; i < 4; ++i) push();
  control_.ask();
  control_.publish(capacity);
  const auto answer = control_.on_limit(capacity);
  EXPECT_FALSE(answer.pushed);
  EXPECT_TRUE(answer.exposed);
  EXPECT_EQ(answer.items, 2U);
}

TEST_F(SplitControlTest, RemoteExposureNeverShowsTheSpareSlot) {
  for (int i = 0; i < 4; ++i) push();
  control_.publish(capacity);  // the overflowing push, before it found out
  EXPECT_EQ(control_.expose(no_barrier), 4U);
  EXPECT_EQ(control_.word.load().split, capacity);
}

TEST_F(SplitControlTest, RemoteExposureLeavesOutWhatTheOwnerPoppedMeanwhile) {
  for (int i = 0; i < 3; ++i) push();
  std::uint32_t reclaimed = 0;
  const auto public_now = control_.expose([&] {
    EXPECT_FALSE(control_.take_private(2 * stride)) << "the pop must notice the proposal";
    EXPECT_EQ(control_.pop_slow(2 * stride, reclaimed), pop_result::taken);
  });
  EXPECT_EQ(public_now, 2U);
  EXPECT_EQ(control_.word.load().split, 2 * stride);
}

TEST_F(SplitControlTest, AProposalThatItsThiefForgotIsTakenOver) {
  push();
  push();
  EXPECT_EQ(control_.expose([&] { EXPECT_EQ(control_.expose(no_barrier), 2U); }), 0U);
  EXPECT_EQ(control_.steal().result, steal_result::taken);
  EXPECT_EQ(control_.steal().result, steal_result::taken);
  EXPECT_EQ(control_.steal().result, steal_result::empty);
}

TEST_F(SplitControlTest, AStalledStealFailsAfterAReseat) {
  control_.ask();
  push();
  const auto stale = control_.word.load();
  std::uint32_t reclaimed = 0;
  ASSERT_FALSE(control_.take_private(0));
  ASSERT_EQ(control_.pop_slow(0, reclaimed), pop_result::taken);
  control_.ask();
  push();
  EXPECT_EQ(control_.word.load().tail, stale.tail);
  EXPECT_EQ(control_.word.load().split, stale.split);
  EXPECT_FALSE(control_.word.compare_exchange(
      stale, {stale.tail + stride, stale.split, stale.bound, stale.tag}));
}

TEST_F(SplitControlTest, AfterAReseatPositionsStartWhereTheFiberWas) {
  std::array<char, capacity + stride> other{};
  control_.reseat(2 * stride, other.data());
  EXPECT_FALSE(control_.has_work());
  EXPECT_EQ(control_.depth(), 2 * stride);
  control_.ask();
  push();
  EXPECT_EQ(control_.steal().item, other.data() + 2 * stride);
}

TEST_F(SplitControlTest, TheTagWrapsWithoutLosingAnything) {
  const auto w = control_.word.load();
  ASSERT_TRUE(control_.word.compare_exchange(w, {0, 0, 0, control::state::tag_mask}));
  push();
  push();
  EXPECT_EQ(control_.expose(no_barrier), 2U);
  EXPECT_EQ(control_.word.load().tag, 0U);
  EXPECT_EQ(control_.steal().item, memory_.data());
  EXPECT_EQ(control_.steal().item, memory_.data() + stride);
}

TEST_F(SplitControlTest, EverythingCanBeExposedAtOnce) {
  for (int i = 0; i < 3; ++i) push();
  control_.expose_all();
  for (position p = 0; p < 3 * stride; p += stride)
    EXPECT_EQ(control_.steal().item, memory_.data() + p);
  EXPECT_FALSE(control_.has_work());
}

}  // namespace
}  // namespace heist_test
