// The stack overflow handler: its table of guards, its message, and its cooperation with other
// handlers.
//
// Handlers belong to the process, so everything that installs one runs in a death test's child.
#include "platform/overflow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sanitizers.hpp"
#include "test_fiber.hpp"

namespace heist_test {
namespace {

using heist::platform::alternate_stack;
using heist::platform::guard_handle;
using heist::platform::install_overflow_handler;
using heist::platform::keep_alternate_stack;
using heist::platform::register_guard;
using heist::platform::stack_memory;
using heist::platform::stack_with_guard_at;
using heist::platform::unregister_guard;

// Registering uses only addresses, so the stacks need not exist: this one is at `number` * 1 MiB.
stack_memory imagined_stack(std::uintptr_t number) {
  constexpr std::size_t guard = 64 * 1024;
  return {reinterpret_cast<std::byte*>((number << 20) + guard), (1U << 20) - guard, guard};
}

bool in_registered_guard(const void* address) { return stack_with_guard_at(address) != 0; }

TEST(GuardTable, KnowsExactlyTheRegisteredGuards) {
  const stack_memory stack = imagined_stack(1'000'000);
  EXPECT_FALSE(in_registered_guard(stack.base - 1));
  const guard_handle handle = register_guard(stack);
  ASSERT_NE(handle.slot, 0U);
  EXPECT_EQ(stack_with_guard_at(stack.base - 1), stack.size);
  EXPECT_EQ(stack_with_guard_at(stack.base - stack.guard), stack.size);
  EXPECT_FALSE(in_registered_guard(stack.base - stack.guard - 1));
  EXPECT_FALSE(in_registered_guard(stack.base));
  EXPECT_FALSE(in_registered_guard(nullptr));
  unregister_guard(handle);
  EXPECT_FALSE(in_registered_guard(stack.base - 1));
  unregister_guard({});
}

TEST(GuardTable, GrowsOverManyChunksAndReusesSlots) {
  constexpr std::uintptr_t count = 5'000;
  std::vector<guard_handle> handles;
  for (std::uintptr_t i = 0; i < count; ++i) {
    handles.push_back(register_guard(imagined_stack(2'000'000 + i)));
  }
  for (std::uintptr_t i = 0; i < count; i += 97) {
    EXPECT_TRUE(in_registered_guard(imagined_stack(2'000'000 + i).base - 1)) << i;
  }
  std::uint32_t highest = 0;
  for (const guard_handle handle : handles) {
    highest = std::max(highest, handle.slot);
    unregister_guard(handle);
  }
  for (std::uintptr_t i = 0; i < count; ++i) {
    handles[i] = register_guard(imagined_stack(3'000'000 + i));
    EXPECT_LE(handles[i].slot, highest);
  }
  for (const guard_handle handle : handles) unregister_guard(handle);
}

TEST(GuardTable, ConcurrentRegistrationsNeverShareASlot) {
  constexpr std::uintptr_t threads = 4;
  constexpr int rounds = 2'000;
  std::atomic<int> lost{0};
  std::vector<std::thread> all;
  for (std::uintptr_t t = 0; t < threads; ++t) {
    all.emplace_back([&lost, t] {
      for (int round = 0; round < rounds; ++round) {
        const stack_memory first = imagined_stack(4'000'000 + 2 * t);
        const stack_memory second = imagined_stack(4'000'001 + 2 * t);
        const guard_handle a = register_guard(first);
        const guard_handle b = register_guard(second);
        // Relaxed: this is a count that is read after the joins.
        if (!in_registered_guard(first.base - 1)) lost.fetch_add(1, std::memory_order_relaxed);
        unregister_guard(a);
        if (!in_registered_guard(second.base - 1)) lost.fetch_add(1, std::memory_order_relaxed);
        unregister_guard(b);
        if (in_registered_guard(first.base - 1)) lost.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(lost.load(std::memory_order_relaxed), 0);
}

// ---- how the process ends ----

void say(std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

void overflow_a_fiber(int worker) {
  install_overflow_handler();
  const alternate_stack alternate(worker);
  test_fiber fiber([](test_fiber&) { recurse(0); }, 256 * 1024);
  (void)register_guard(fiber.stack());
  fiber.resume();
}

[[gnu::noinline]] void write_to(volatile int* address) { *address = 1; }

void fault_elsewhere() { write_to(reinterpret_cast<int*>(std::uintptr_t{16})); }

void install(int number, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  ::sigemptyset(&action.sa_mask);
  ::sigaddset(&action.sa_mask, SIGUSR1);
  ::sigaction(number, &action, nullptr);
}

// Sanitizers have handlers of their own. These are called as earlier handlers should be, and end
// the process in their own way.
bool died_of_segv(int status) { return asan || tsan || testing::KilledBySignal(SIGSEGV)(status); }

// An emulator may print a message of its own.
const testing::Matcher<const std::string&> no_line_of_ours =
    testing::Not(testing::HasSubstr("heist:"));

TEST(OverflowDeathTest, NamesTheSizeTheWorkerAndTheRemedy) {
  EXPECT_EXIT(
      overflow_a_fiber(3), died_of_segv,
      "heist: stack overflow: a fiber's stack of 256 KiB is full \\(worker 3\\); raise it with "
      "pool_config::stack_size or HEIST_STACK_SIZE\n");
}

TEST(OverflowDeathTest, LeavesOutTheWorkerWhereThereIsNone) {
  EXPECT_EXIT(overflow_a_fiber(-1), died_of_segv, "256 KiB is full; raise");
}

TEST(OverflowDeathTest, WorksOnAThreadOfItsOwn) {
  EXPECT_EXIT(std::thread([] { overflow_a_fiber(7); }).join(), died_of_segv, "\\(worker 7\\)");
}

TEST(OverflowDeathTest, WorksOnAThreadThatKeepsItsStack) {
  const auto overflow = [] {
    install_overflow_handler();
    keep_alternate_stack();
    test_fiber fiber([](test_fiber&) { recurse(0); }, 256 * 1024);
    (void)register_guard(fiber.stack());
    fiber.resume();
  };
  EXPECT_EXIT(std::thread(overflow).join(), died_of_segv, "256 KiB is full; raise");
}

TEST(AlternateStack, IsKeptUntilTheThreadEnds) {
  if (asan || tsan) GTEST_SKIP() << "the sanitizer has put its own there";
  const auto current = [] {
    stack_t stack{};
    ::sigaltstack(nullptr, &stack);
    return stack;
  };
  stack_t kept{};
  std::thread([&] {
    EXPECT_NE(current().ss_flags & SS_DISABLE, 0);
    keep_alternate_stack();
    kept = current();
    EXPECT_EQ(kept.ss_flags & SS_DISABLE, 0);
    keep_alternate_stack();
    EXPECT_EQ(current().ss_sp, kept.ss_sp);
  }).join();
  unsigned char resident = 0;
  EXPECT_NE(::mincore(kept.ss_sp, 1, &resident), 0) << "it is still mapped";
}

TEST(OverflowDeathTest, OtherFaultsDieWithoutOurLine) {
  if (asan || tsan) GTEST_SKIP() << "the sanitizer's report is on stderr";
  EXPECT_EXIT(
      {
        install_overflow_handler();
        const alternate_stack alternate(0);
        fault_elsewhere();
      },
      testing::KilledBySignal(SIGSEGV), no_line_of_ours);
}

TEST(OverflowDeathTest, EarlierHandlerGetsOtherFaults) {
  EXPECT_EXIT(
      {
        install(
            SIGSEGV,
            [](int, siginfo_t* info, void*) {
              say(info->si_addr == reinterpret_cast<void*>(16) ? "earlier at 16\n" : "wrong\n");
              ::_exit(7);
            },
            0);
        install_overflow_handler();
        const alternate_stack alternate(0);
        fault_elsewhere();
      },
      testing::ExitedWithCode(7), "^earlier at 16\n$");
}

TEST(OverflowDeathTest, EarlierHandlerIsCalledAfterOurLine) {
  EXPECT_EXIT(
      {
        install(
            SIGSEGV, [](int, siginfo_t*, void*) { say("earlier\n"); }, 0);
        overflow_a_fiber(1);
      },
      testing::KilledBySignal(SIGSEGV), "HEIST_STACK_SIZE\nearlier\n");
}

TEST(OverflowDeathTest, EarlierHandlerWithoutSiginfoIsCalledAsSuch) {
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_handler = [](int number) { ::_exit(number == SIGBUS ? 9 : 1); };
        ::sigaction(SIGBUS, &action, nullptr);
        install_overflow_handler();
        ::raise(SIGBUS);
      },
      testing::ExitedWithCode(9), "");
}

TEST(OverflowDeathTest, EarlierHandlerMayRepairTheFaultAndGoOn) {
  EXPECT_EXIT(
      {
        static void* page = ::mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        install(
            SIGSEGV,
            [](int, siginfo_t*, void*) {
              sigset_t blocked;
              ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
              if (::sigismember(&blocked, SIGUSR1) == 0) ::_exit(1);  // its sa_mask
              if (::sigismember(&blocked, SIGSEGV) == 0) ::_exit(2);
              ::mprotect(page, 4096, PROT_READ | PROT_WRITE);
            },
            0);
        install_overflow_handler();
        errno = 123;
        write_to(static_cast<int*>(page));
        sigset_t blocked;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        const bool restored = ::sigismember(&blocked, SIGUSR1) == 0 && errno == 123;
        ::_exit(restored && *static_cast<int*>(page) == 1 ? 0 : 3);
      },
      testing::ExitedWithCode(0), "");
}

TEST(OverflowDeathTest, NodeferIsRespected) {
  EXPECT_EXIT(
      {
        install(
            SIGSEGV,
            [](int, siginfo_t*, void*) {
              sigset_t blocked;
              ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
              ::_exit(::sigismember(&blocked, SIGSEGV) == 0 ? 0 : 1);
            },
            SA_NODEFER);
        install_overflow_handler();
        fault_elsewhere();
      },
      testing::ExitedWithCode(0), "");
}

TEST(OverflowDeathTest, ResethandIsRespected) {
  EXPECT_EXIT(
      {
        install(
            SIGSEGV, [](int, siginfo_t*, void*) { say("once\n"); }, static_cast<int>(SA_RESETHAND));
        install_overflow_handler();
        fault_elsewhere();
      },
      testing::KilledBySignal(SIGSEGV), "^once\n");
}

TEST(OverflowDeathTest, SentSignalsKeepTheirEarlierMeaning) {
  if (asan || tsan) GTEST_SKIP() << "the sanitizer's handler is the earlier one";
  EXPECT_EXIT(
      {
        install_overflow_handler();
        ::raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), no_line_of_ours);
  EXPECT_EXIT(
      {
        ::signal(SIGSEGV, SIG_IGN);
        install_overflow_handler();
        ::raise(SIGSEGV);
        ::_exit(5);
      },
      testing::ExitedWithCode(5), "");
}

TEST(AlternateStack, KeepsTheOneThatIsThere) {
  std::thread([] {
    std::vector<char> memory(256 * 1024);
    stack_t theirs{};
    theirs.ss_sp = memory.data();
    theirs.ss_size = memory.size();
    stack_t before{};
    ASSERT_EQ(::sigaltstack(&theirs, &before), 0);
    {
      const alternate_stack ours(0);
      stack_t now{};
      ::sigaltstack(nullptr, &now);
      EXPECT_EQ(now.ss_sp, memory.data());
    }
    stack_t after{};
    ::sigaltstack(nullptr, &after);
    EXPECT_EQ(after.ss_sp, memory.data());
    ::sigaltstack(&before, nullptr);
  }).join();
}

TEST(AlternateStack, IsThereUntilItsEnd) {
  std::thread([] {
    stack_t before{};
    ::sigaltstack(nullptr, &before);
    {
      const alternate_stack ours(0);
      stack_t now{};
      ::sigaltstack(nullptr, &now);
      EXPECT_EQ(now.ss_flags & SS_DISABLE, 0);
      EXPECT_GE(now.ss_size, asan || tsan ? 1U : 64U * 1024);
    }
    stack_t after{};
    ::sigaltstack(nullptr, &after);
    EXPECT_EQ(after.ss_flags & SS_DISABLE, before.ss_flags & SS_DISABLE);
  }).join();
}

}  // namespace
}  // namespace heist_test
