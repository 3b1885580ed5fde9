// The context switch: the payload arrives, registers survive, and unwinding ends at the entry. The
// same tests run on the assembly and on Boost.Context (the CMake option HEIST_CONTEXT=boost).
#include "platform/context.hpp"

#include <gtest/gtest.h>
#include <unwind.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform/thread.hpp"
#include "register_probe.hpp"
#include "test_fiber.hpp"

namespace heist_test {
namespace {

using heist::platform::make_context;
using heist::platform::switch_context;

void* number(std::intptr_t value) { return reinterpret_cast<void*>(value); }

TEST(Context, PayloadsTravelBothWays) {
  test_fiber fiber([](test_fiber& self) {
    EXPECT_EQ(self.first_payload(), number(1));
    EXPECT_EQ(self.suspend(number(10)), number(2));
    EXPECT_EQ(self.suspend(number(20)), number(3));
  });
  EXPECT_EQ(fiber.resume(number(1)), number(10));
  EXPECT_EQ(fiber.resume(number(2)), number(20));
  EXPECT_EQ(fiber.resume(number(3)), nullptr);
  EXPECT_TRUE(fiber.finished());
}

TEST(Context, LocalsSurviveManySwitches) {
  test_fiber fiber([](test_fiber& self) {
    std::vector<std::uint64_t> terms;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      terms.push_back(i);
      sum += i;
      self.suspend(&sum);
    }
    EXPECT_EQ(terms.size(), 10'000U);
  });
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    expected += i;
    ASSERT_EQ(*static_cast<std::uint64_t*>(fiber.resume()), expected);
  }
  fiber.resume();
  EXPECT_TRUE(fiber.finished());
}

TEST(Context, ManyContextsInterleave) {
  constexpr int fibers = 200;
  std::vector<std::unique_ptr<test_fiber>> all;
  std::vector<int> counts(fibers, 0);
  for (int i = 0; i < fibers; ++i) {
    all.push_back(std::make_unique<test_fiber>([&counts, i](test_fiber& self) {
      for (int turn = 0; turn < 5; ++turn) {
        counts[static_cast<std::size_t>(i)] += turn;
        self.suspend();
      }
    }));
  }
  for (int turn = 0; turn < 6; ++turn) {
    for (auto& fiber : all) fiber->resume();
  }
  for (int i = 0; i < fibers; ++i) {
    EXPECT_TRUE(all[static_cast<std::size_t>(i)]->finished());
    EXPECT_EQ(counts[static_cast<std::size_t>(i)], 10);
  }
}

// Uses the kernel's thread number: std::this_thread::get_id() may be the value from before the
// switch, since glibc declares pthread_self const.
TEST(Context, SuspendedContextGoesOnAtAnotherThread) {
  pid_t before = 0;
  pid_t after = 0;
  test_fiber fiber([&](test_fiber& self) {
    before = heist::platform::thread_id();
    self.suspend();
    after = heist::platform::thread_id();
  });
  fiber.resume();
  pid_t other_id = 0;
  std::thread other([&] {
    other_id = heist::platform::thread_id();
    fiber.resume();
  });
  other.join();
  EXPECT_EQ(before, heist::platform::thread_id());
  EXPECT_EQ(after, other_id);
}

#if defined(HEIST_TEST_REGISTER_PROBE)
struct probe_state {
  void* outside = nullptr;
  void* inside = nullptr;
  register_values put{};
  register_values found{};
};

void probe_body(void* payload) {
  auto& state = *static_cast<probe_state*>(payload);
  for (;;) {
    heist_test_probe_switch(&state.inside, state.outside, payload, state.put.data(),
                            state.found.data());
  }
}

TEST(Context, CalleeSavedRegistersSurvive) {
  if (tsan) GTEST_SKIP() << "the probe switches without telling ThreadSanitizer";
  const auto stack = heist::platform::allocate_stack(128 * 1024, 0);
  ASSERT_TRUE(stack);
  probe_state state;
  register_values outside_put{};
  register_values outside_found{};
  for (std::size_t i = 0; i < probed_registers; ++i) {
    outside_put[i] = 0x0123456789abcdefU + i;
    state.put[i] = ~(0x1111111111111111U * (i + 1));
  }
  state.inside = make_context(stack->top(), stack->base, &probe_body);
  for (int round = 0; round < 3; ++round) {
    outside_found.fill(0);
    state.found.fill(0);
    void* const payload = heist_test_probe_switch(&state.outside, state.inside, &state,
                                                  outside_put.data(), outside_found.data());
    EXPECT_EQ(payload, &state);
    EXPECT_EQ(outside_found, outside_put) << "outside, round " << round;
    // The fiber checks the values when it is resumed, which is from the second round on.
    if (round > 0) {
      EXPECT_EQ(state.found, state.put) << "inside, round " << round;
    }
  }
  heist::platform::release_stack(*stack);
}
#endif

TEST(Context, RoundingModeBelongsToTheContext) {
  ASSERT_EQ(std::fegetround(), FE_TONEAREST);
  test_fiber fiber([](test_fiber& self) {
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    std::fesetround(FE_UPWARD);
    self.suspend();
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    volatile double one = 1.0;
    volatile double three = 3.0;
    EXPECT_GT(one / three * three, 1.0);  // rounded up twice
    std::fesetround(FE_TONEAREST);
    self.suspend();
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  });
  fiber.resume();
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  std::fesetround(FE_TOWARDZERO);
  fiber.resume();
  EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
  fiber.resume();
  EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
  std::fesetround(FE_TONEAREST);
}

TEST(Context, FreshContextHasItsMakersRoundingMode) {
  std::fesetround(FE_DOWNWARD);
  int seen = -1;
  test_fiber fiber([&seen](test_fiber&) { seen = std::fegetround(); });
  std::fesetround(FE_TONEAREST);
  fiber.resume();
  EXPECT_EQ(seen, FE_DOWNWARD);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

struct count_destruction {
  explicit count_destruction(int& target) : count(target) {}
  ~count_destruction() { ++count; }
  int& count;
};

[[gnu::noinline]] void throw_from_depth(int depth, int& destroyed) {
  const count_destruction here(destroyed);
  if (depth == 0) throw std::runtime_error("deep");
  throw_from_depth(depth - 1, destroyed);
}

TEST(Context, ExceptionsAreThrownAndCaughtInside) {
  int destroyed = 0;
  std::string caught;
  test_fiber fiber([&](test_fiber& self) {
    for (int turn = 0; turn < 3; ++turn) {
      try {
        throw_from_depth(10, destroyed);
      } catch (const std::exception& failure) {
        caught += failure.what();
      }
      self.suspend();
    }
  });
  try {
    for (int turn = 0; turn < 4; ++turn) fiber.resume();
    throw std::logic_error("outside");
  } catch (const std::logic_error&) {
    caught += "+outside";
  }
  EXPECT_EQ(destroyed, 33);
  EXPECT_EQ(caught, "deepdeepdeep+outside");
}

TEST(ContextDeathTest, ExceptionThatLeavesTheEntryTerminates) {
#if defined(_WIN32)
  constexpr const char* nobody_catches = "";  // the system reports the exception by its number
#else
  constexpr const char* nobody_catches = "terminate|nobody catches this";
#endif
  EXPECT_DEATH(
      {
        test_fiber fiber([](test_fiber&) { throw std::runtime_error("nobody catches this"); });
        fiber.resume();
      },
      nobody_catches);
}

void return_at_once(void*) {}

TEST(ContextDeathTest, EntryThatReturnsTraps) {
  EXPECT_DEATH(
      {
        const auto stack = heist::platform::allocate_stack(64 * 1024, 0);
        void* outside = nullptr;
        switch_context(&outside, make_context(stack->top(), stack->base, &return_at_once), nullptr);
      },
      "");
}

struct alignment_probe {
  void* outside = nullptr;
  void* inside = nullptr;
  std::uintptr_t frame = 0;
  std::uintptr_t wide = 0;
};

void alignment_body(void* payload) {
  auto& probe = *static_cast<alignment_probe*>(payload);
  alignas(16) volatile char here[16] = {};
  probe.wide = reinterpret_cast<std::uintptr_t>(&here[0]);
  probe.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  switch_context(&probe.inside, probe.outside, nullptr);
}

TEST(Context, StackIsAlignedForAnyTop) {
  if (tsan) GTEST_SKIP() << "the probe switches without telling ThreadSanitizer";
  const auto stack = heist::platform::allocate_stack(64 * 1024, 0);
  ASSERT_TRUE(stack);
  for (std::ptrdiff_t below = 0; below < 32; ++below) {
    alignment_probe probe;
    void* const inside = make_context(stack->top() - below, stack->base, &alignment_body);
    switch_context(&probe.outside, inside, &probe);
    EXPECT_EQ(probe.frame % 16, 0U) << "top lowered by " << below;
    EXPECT_EQ(probe.wide % 16, 0U) << "top lowered by " << below;
  }
  heist::platform::release_stack(*stack);
}

TEST(Context, FreshContextTouchesLittle) {
  const auto stack = heist::platform::allocate_stack(64 * 1024, 0);
  ASSERT_TRUE(stack);
  (void)make_context(stack->top(), stack->base, &return_at_once);
  EXPECT_LE(heist::platform::resident_bytes(*stack), heist::platform::page_bytes());
  heist::platform::release_stack(*stack);
}

struct walk {
  int frames = 0;
  _Unwind_Reason_Code reason = _URC_NO_REASON;
};

_Unwind_Reason_Code count_frame(_Unwind_Context*, void* argument) {
  auto& walked = *static_cast<walk*>(argument);
  return ++walked.frames < 1000 ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

TEST(Context, BacktraceEndsAtTheEntry) {
  walk walked;
  _Unwind_Reason_Code reason = _URC_NO_REASON;
  test_fiber fiber([&](test_fiber&) { reason = _Unwind_Backtrace(&count_frame, &walked); });
  fiber.resume();
  EXPECT_EQ(reason, _URC_END_OF_STACK);
  EXPECT_GE(walked.frames, 2);
  EXPECT_LT(walked.frames, 50);
}

// ---- call_on_stack. The runtime does not use it under the sanitizers, which do not understand
// such a call.

using heist::platform::call_on_stack;

class CallOnStack : public testing::Test {
 protected:
  void SetUp() override {
    if (tsan || asan) GTEST_SKIP() << "the sanitizers don't know such a call";
    stack_ = *heist::platform::allocate_stack(64 * 1024, 0);
    (void)make_context(stack_.top(), stack_.base, &return_at_once);
  }
  void TearDown() override {
    if (stack_.base != nullptr) heist::platform::release_stack(stack_);
  }
  [[nodiscard]] bool holds(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    return at >= stack_.base && at < stack_.top();
  }

  heist::platform::stack_memory stack_{};
};

struct called {
  void* outside = nullptr;
  void* inside = nullptr;
  std::uintptr_t frame = 0;
  void* top = nullptr;
  std::uint64_t number = 0;
  int calls = 0;
};

void note_frame(void* argument, void* top, std::uint64_t number) {
  auto& seen = *static_cast<called*>(argument);
  alignas(16) volatile char here[16] = {};
  seen.frame = reinterpret_cast<std::uintptr_t>(&here[0]);
  seen.top = top;
  seen.number = number;
  ++seen.calls;
}

TEST_F(CallOnStack, ReturnsNothingWhenTheFunctionReturns) {
  for (std::ptrdiff_t below = 0; below < 64; below += 16) {
    called seen;
    const std::uint64_t number = ~std::uint64_t{0} - static_cast<std::uint64_t>(below);
    std::byte* const top = stack_.top() - below;
    (void)make_context(top, stack_.base, &return_at_once);
    EXPECT_EQ(call_on_stack(&seen.outside, top, &note_frame, &seen, number), nullptr);
    EXPECT_EQ(seen.calls, 1);
    EXPECT_EQ(seen.top, top);
    EXPECT_EQ(seen.number, number);
    EXPECT_EQ(seen.frame % 16, 0U) << "top lowered by " << below;
    EXPECT_TRUE(holds(reinterpret_cast<const void*>(seen.frame)));
    EXPECT_FALSE(holds(seen.outside));  // the caller's context lies on its own stack
  }
}

// Uses more values than there are callee-saved registers, each before and after the switch.
TEST_F(CallOnStack, KeepsTheCallersVariables) {
  called seen;
  std::uint64_t a = 1, b = 2, c = 3, d = 5, e = 7, f = 11, g = 13, h = 17;
  for (int i = 0; i < 1000; ++i) {
    call_on_stack(&seen.outside, stack_.top(), &note_frame, &seen, 0);
    a += b, b ^= c, c += d, d ^= e, e += f, f ^= g, g += h, h ^= a;
  }
  std::uint64_t v[] = {1, 2, 3, 5, 7, 11, 13, 17};
  for (int i = 0; i < 1000; ++i) {
    v[0] += v[1], v[1] ^= v[2], v[2] += v[3], v[3] ^= v[4];
    v[4] += v[5], v[5] ^= v[6], v[6] += v[7], v[7] ^= v[0];
  }
  EXPECT_EQ(a ^ b ^ c ^ d ^ e ^ f ^ g ^ h, v[0] ^ v[1] ^ v[2] ^ v[3] ^ v[4] ^ v[5] ^ v[6] ^ v[7]);
  EXPECT_EQ(seen.calls, 1000);
}

void go_on_with_the_caller(void* argument, void*, std::uint64_t) {
  auto& state = *static_cast<called*>(argument);
  std::fesetround(FE_UPWARD);  // this context's own from here on
  for (;;) {
    ++state.calls;
    switch_context(&state.inside, state.outside, &state);
  }
}

TEST_F(CallOnStack, TheCallerCanBeGoneOnWithInstead) {
  called state;
  EXPECT_EQ(call_on_stack(&state.outside, stack_.top(), &go_on_with_the_caller, &state, 0), &state);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  for (int calls = 1; calls < 100; ++calls) {
    ASSERT_EQ(state.calls, calls);
    ASSERT_EQ(switch_context(&state.outside, state.inside, nullptr), &state);
  }
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

void walk_back(void* argument, void*, std::uint64_t) {
  auto& walked = *static_cast<walk*>(argument);
  walked.reason = _Unwind_Backtrace(&count_frame, &walked);
}

TEST_F(CallOnStack, BacktraceEndsAtTheFunction) {
  walk walked;
  void* outside = nullptr;
  call_on_stack(&outside, stack_.top(), &walk_back, &walked, 0);
  EXPECT_EQ(walked.reason, _URC_END_OF_STACK);
  EXPECT_GE(walked.frames, 1);
  EXPECT_LT(walked.frames, 10);
}

struct ping_pong {
  void* outside = nullptr;
  void* inside = nullptr;
};

void pong(void* payload) {
  auto& state = *static_cast<ping_pong*>(payload);
  for (;;) switch_context(&state.inside, state.outside, payload);
}

// There is no limit, because machines differ. The number is in the XML report and on the terminal.
TEST(Context, CostOfASwitch) {
  if (tsan) GTEST_SKIP() << "the probe switches without telling ThreadSanitizer";
  const auto stack = heist::platform::allocate_stack(64 * 1024, 0);
  ASSERT_TRUE(stack);
  ping_pong state;
  state.inside = make_context(stack->top(), stack->base, &pong);
  constexpr int rounds = 1'000'000;
  double best_ns = 1e9;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) switch_context(&state.outside, state.inside, &state);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best_ns = std::min(best_ns, took.count() / (2.0 * rounds));
  }
  heist::platform::release_stack(*stack);
  RecordProperty("ns_per_switch", std::to_string(best_ns));
  std::printf("    %.2f ns per switch (best of 5 runs of %d pairs)\n", best_ns, rounds);
  EXPECT_GT(best_ns, 0.0);
}

}  // namespace
}  // namespace heist_test
