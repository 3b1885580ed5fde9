// What the platform layer does on Windows only: the bounds of stacks, the message for a full one,
// the two barriers.
#include <gtest/gtest.h>
#include <windows.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "heist/error.hpp"
#include "platform/barrier.hpp"
#include "platform/cpu_count.hpp"
#include "platform/guard_table.hpp"
#include "platform/overflow.hpp"
#include "platform/process.hpp"
#include "platform/program.hpp"
#include "platform/stack_memory.hpp"
#include "platform/thread.hpp"
#include "store_buffering.hpp"
#include "test_fiber.hpp"

namespace heist_test {
namespace {

using heist::platform::asymmetric_barrier;
using heist::platform::barrier_kind;

struct bounds {
  std::uintptr_t low;
  std::uintptr_t high;
  [[nodiscard]] bool hold(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return low <= at && at < high;
  }
};

[[gnu::noinline]] bounds bounds_of_thread() {
  bounds b{};
  asm volatile("movq %%gs:16, %0" : "=r"(b.low));  // StackLimit
  asm volatile("movq %%gs:8, %0" : "=r"(b.high));  // StackBase
  return b;
}

TEST(WindowsStack, TheThreadsBoundsAreThoseOfTheStackThatRuns) {
  const bounds before = bounds_of_thread();
  bounds inside{};
  bounds afterwards{};
  bool holds = false;
  test_fiber fiber([&](test_fiber& self) {
    char here = 0;
    inside = bounds_of_thread();
    holds = inside.hold(&here);
    self.suspend();
    afterwards = bounds_of_thread();
  });
  fiber.resume();
  const bounds between = bounds_of_thread();
  fiber.resume();
  EXPECT_TRUE(holds);
  EXPECT_EQ(inside.low, reinterpret_cast<std::uintptr_t>(fiber.stack().base));
  EXPECT_EQ(afterwards.high, inside.high);
  EXPECT_EQ(between.high, before.high);
  EXPECT_FALSE(before.hold(fiber.stack().base));
}

// A large frame: the compiler probes page by page, and Windows' own code stops probing at the
// bounds that the thread names.
[[gnu::noinline]] int large_frame(int depth) {
  volatile char frame[64 * 1024];
  frame[depth] = 1;
  return depth == 0 ? frame[0] : large_frame(depth - 1) + frame[depth];
}

TEST(WindowsStack, AllOfItIsUsable) {
  int sum = 0;
  test_fiber fiber([&](test_fiber&) { sum = large_frame(10); }, 1024 * 1024);
  fiber.resume();
  EXPECT_EQ(sum, 11);
}

TEST(WindowsStack, TakesMemoryWhenItIsTouchedAndGivesItBack) {
  const auto stack = heist::platform::allocate_stack(8 * 1024 * 1024, 0);
  ASSERT_TRUE(stack);
  EXPECT_EQ(heist::platform::resident_bytes(*stack), 0U);
  std::memset(stack->top() - 100'000, 0x5a, 100'000);
  EXPECT_GE(heist::platform::resident_bytes(*stack), 100'000U);
  heist::platform::trim_stack(*stack, 10'000);
  EXPECT_LE(heist::platform::resident_bytes(*stack), 12U * 1024);
  EXPECT_EQ(*(stack->top() - 10'000), std::byte{0x5a});
  *(stack->top() - 50'000) = std::byte{1};
  heist::platform::release_stack(*stack);
}

[[gnu::noinline]] void throw_at(int depth) {
  if (depth == 0) throw std::runtime_error("from below");
  throw_at(depth - 1);
  std::atomic_signal_fence(std::memory_order_seq_cst);  // no tail call
}

TEST(WindowsStack, AnExceptionIsCaughtOnAFiberThatChangedItsThread) {
  int caught = 0;
  test_fiber fiber([&](test_fiber& self) {
    for (int round = 0; round < 2; ++round) {
      try {
        throw_at(50);
      } catch (const std::runtime_error&) {
        ++caught;
      }
      self.suspend();
    }
  });
  fiber.resume();
  std::thread([&] { fiber.resume(); }).join();
  EXPECT_EQ(caught, 2);
}

[[gnu::noinline]] int endless(int depth) {
  volatile char frame[512];
  frame[0] = 1;
  return depth < 0 ? 0 : endless(depth + 1) + frame[0];
}

void overflow_a_fiber() {
  heist::platform::install_overflow_handler();
  const heist::platform::alternate_stack handler(7);
  test_fiber fiber([](test_fiber&) { endless(0); }, 256 * 1024);
  const auto guard = heist::platform::register_guard(fiber.stack());
  fiber.resume();
  heist::platform::unregister_guard(guard);
}

TEST(WindowsOverflowDeathTest, NamesTheSizeTheWorkerAndTheRemedy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(overflow_a_fiber(),
               "stack overflow: a fiber's stack of 256 KiB is full .worker 7.; raise it with");
}

TEST(WindowsBarrier, SuspendingForbidsStoreBuffering) {
  heist::platform::set_barrier_kind_for_test(barrier_kind::signal);
  store_buffering litmus;
  const auto heavy = [](std::span<const pid_t> tids) {
    asymmetric_barrier::instance().heavy_barrier(tids);
  };
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(litmus.run(heavy, 50'000, std::chrono::seconds(8)), 0);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  heist::platform::set_barrier_kind_for_test(std::nullopt);
  std::printf("    %d rounds, %.2f us each\n", litmus.rounds_run(),
              took.count() / litmus.rounds_run());
  EXPECT_GT(litmus.rounds_run(), 100);
}

// Windows itself passes this; Wine 8 does nothing for the call, which is why it isn't used there.
TEST(WindowsBarrier, FlushingForbidsStoreBufferingUnlessItIsWines) {
  if (asymmetric_barrier::instance().kind() == barrier_kind::signal)
    GTEST_SKIP() << "Wine's FlushProcessWriteBuffers is no barrier";
  store_buffering litmus;
  const auto heavy = [](std::span<const pid_t> tids) {
    asymmetric_barrier::instance().heavy_barrier(tids);
  };
  EXPECT_EQ(litmus.run(heavy, 200'000, std::chrono::seconds(4)), 0);
}

// The litmus test is effective: without the heavy barrier it finds the outcome.
TEST(WindowsBarrier, StoreBufferingIsSeenWithoutTheHeavyBarrier) {
  if (heist::platform::affinity_cpus().size() < 2) GTEST_SKIP() << "needs two processors";
  store_buffering litmus;
  const int forbidden = litmus.run([](std::span<const pid_t>) { heist::platform::light_barrier(); },
                                   50'000'000, std::chrono::seconds(60));
  ASSERT_NE(forbidden, 0) << "not in " << litmus.rounds_run() << " rounds";
}

TEST(WindowsBarrier, RefusesAnotherSystemsKinds) {
  EXPECT_THROW(static_cast<void>(heist::platform::parse_barrier_kind("membarrier")),
               heist::usage_error);
  EXPECT_EQ(heist::platform::name_of(barrier_kind::membarrier), "flush");
}

TEST(WindowsThread, HasANumberAndUsesProcessorTime) {
  const pid_t me = heist::platform::thread_id();
  EXPECT_TRUE(heist::platform::is_main_thread());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) {
  }
  EXPECT_GT(heist::platform::processor_time_of(me), 0);
  std::thread([] { EXPECT_FALSE(heist::platform::is_main_thread()); }).join();
}

TEST(WindowsProgram, KnowsWhereItRuns) {
  EXPECT_TRUE(heist::platform::program_name().ends_with(".exe"));
  EXPECT_NE(heist::platform::processor_name(), "unknown processor");
  static const int object = 1;
  EXPECT_NE(heist::platform::find_loaded_place(&object).file, "");
  EXPECT_EQ(heist::platform::process_generation(), 0U);
  EXPECT_GE(heist::platform::find_cpu_limits().workers, 1);
}

}  // namespace
}  // namespace heist_test
