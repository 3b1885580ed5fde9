// Stacks: the position of the guard, the memory that is used, and refusals by the system.
#include "platform/stack_memory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "sanitizers.hpp"

namespace heist_test {
namespace {

using heist::platform::allocate_stack;
using heist::platform::page_bytes;
using heist::platform::release_stack;
using heist::platform::resident_bytes;
using heist::platform::set_stack_faults_for_test;
using heist::platform::stack_memory;
using heist::platform::trim_stack;

constexpr std::size_t mebibyte = 1024 * 1024;

class StackMemory : public testing::Test {
 protected:
  ~StackMemory() override { release_stack(stack_); }
  stack_memory stack_ = *allocate_stack(8 * mebibyte, 0);
};

TEST_F(StackMemory, HasTheSizeAskedForAndTheLeastGuard) {
  EXPECT_EQ(stack_.size, 8 * mebibyte);
  EXPECT_EQ(stack_.guard, heist::platform::min_guard_bytes);
  EXPECT_EQ(stack_.top(), stack_.base + 8 * mebibyte);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stack_.base) % page_bytes(), 0U);
}

TEST_F(StackMemory, EveryByteIsUsable) {
  std::memset(stack_.base, 0x5a, stack_.size);
  EXPECT_EQ(resident_bytes(stack_), stack_.size);
}

TEST_F(StackMemory, CostsOnlyWhatIsTouched) {
  EXPECT_EQ(resident_bytes(stack_), 0U);
  *(stack_.top() - 1) = std::byte{1};
  EXPECT_EQ(resident_bytes(stack_), page_bytes());
  *(stack_.top() - 100'000) = std::byte{1};
  EXPECT_EQ(resident_bytes(stack_), 2 * page_bytes());
}

TEST_F(StackMemory, TrimKeepsTheTopAndGivesBackTheRest) {
  std::memset(stack_.base, 0x5a, stack_.size);
  trim_stack(stack_, 10'000);
  const std::size_t kept = (10'000 + page_bytes() - 1) / page_bytes() * page_bytes();
  EXPECT_EQ(resident_bytes(stack_), kept);
  EXPECT_EQ(*(stack_.top() - 1), std::byte{0x5a});
  EXPECT_EQ(*(stack_.top() - kept), std::byte{0x5a});
  EXPECT_EQ(*(stack_.top() - kept - 1), std::byte{0});
}

TEST_F(StackMemory, TrimToNothingAndToEverything) {
  std::memset(stack_.base, 0x5a, stack_.size);
  trim_stack(stack_, stack_.size);
  trim_stack(stack_, SIZE_MAX);
  EXPECT_EQ(resident_bytes(stack_), stack_.size);
  trim_stack(stack_, 0);
  EXPECT_EQ(resident_bytes(stack_), 0U);
}

// As real-time programs do. Only what is touched is in memory, and trimming gives it back.
TEST(StackMemoryLocked, CostsOnlyWhatIsTouched) {
  if (::mlockall(MCL_FUTURE) != 0) GTEST_SKIP() << "memory can't be locked here";
  const auto stack = allocate_stack(8 * mebibyte, heist::platform::min_guard_bytes);
  EXPECT_TRUE(stack);
  if (stack) {
    EXPECT_EQ(resident_bytes(*stack), 0U);
    *(stack->top() - 1) = std::byte{1};
    *(stack->top() - 100'000) = std::byte{1};
    EXPECT_EQ(resident_bytes(*stack), 2 * page_bytes());
    constexpr int dontneed_locked = 24;
    const bool can_trim = ::madvise(stack->base, page_bytes(), dontneed_locked) == 0;
    trim_stack(*stack, 0);
    if (can_trim) {
      EXPECT_EQ(resident_bytes(*stack), 0U);
    }
    release_stack(*stack);
  }
  ::munlockall();
}

// The line of /proc/self/smaps with the flags of the mapping at `where`.
std::string mapping_flags(const std::byte* where) {
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  while (std::getline(smaps, line)) {
    std::uintptr_t low = 0;
    std::uintptr_t high = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> low >> dash >> high && dash == '-') {
      const auto address = reinterpret_cast<std::uintptr_t>(where);
      inside = low <= address && address < high;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return {};
}

// Linux refuses unknown advice; qemu-user accepts and ignores it, and most known advice as well.
bool advice_is_ignored(const stack_memory& stack) {
  return ::madvise(stack.base, page_bytes(), 9999) == 0;
}

TEST_F(StackMemory, HugePagesAreOff) {
  if (advice_is_ignored(stack_)) GTEST_SKIP() << "an emulator that drops advice";
  const std::string flags = mapping_flags(stack_.base);
  if (flags.empty()) GTEST_SKIP() << "no VmFlags in /proc/self/smaps";
  std::ifstream huge_pages("/sys/kernel/mm/transparent_hugepage/enabled");
  if (!huge_pages) GTEST_SKIP() << "a kernel without transparent huge pages";
  EXPECT_NE((flags + " ").find(" nh "), std::string::npos) << flags;
}

TEST_F(StackMemory, TheGuardFaultsAtBothEnds) {
  if (asan || tsan) GTEST_SKIP() << "the sanitizer's handler ends the process in its own way";
  const stack_memory stack = stack_;
  EXPECT_EXIT(*(stack.base - 1) = std::byte{1}, testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(*(stack.base - stack.guard) = std::byte{1}, testing::KilledBySignal(SIGSEGV), "");
}

TEST(StackMemorySizes, AreRoundedUpToPagesAndMinima) {
  for (const std::size_t asked : {std::size_t{0}, std::size_t{1}, std::size_t{100'001}}) {
    const auto stack = allocate_stack(asked, 70'000);
    ASSERT_TRUE(stack);
    EXPECT_GE(stack->size, std::max(asked, heist::platform::min_stack_bytes));
    EXPECT_LT(stack->size, std::max(asked, heist::platform::min_stack_bytes) + page_bytes());
    EXPECT_EQ(stack->size % page_bytes(), 0U);
    EXPECT_GE(stack->guard, 70'000U);
    EXPECT_EQ(stack->guard % page_bytes(), 0U);
    release_stack(*stack);
  }
}

TEST(StackMemorySizes, ThatCannotBeAreRefused) {
  for (const std::size_t absurd : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, std::size_t{1} << 50}) {
    errno = 0;
    EXPECT_FALSE(allocate_stack(absurd, 0)) << absurd;
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_FALSE(allocate_stack(1, absurd)) << absurd;
  }
}

TEST(StackMemoryFaults, InjectedRefusalComesAtTheGivenAllocation) {
  set_stack_faults_for_test(1);
  const auto first = allocate_stack(0, 0);
  errno = 0;
  const auto second = allocate_stack(0, 0);
  const int why = errno;
  const auto third = allocate_stack(0, 0);
  set_stack_faults_for_test(-1);
  ASSERT_TRUE(first);
  EXPECT_FALSE(second);
  EXPECT_EQ(why, ENOMEM);
  EXPECT_FALSE(third);
  release_stack(*first);
}

// In a child, allocates 1 GiB stacks until one is refused, releases one, and must get one again.
TEST(StackMemoryLimits, AddressSpaceLimitIsARefusalAndNotTheEnd) {
  if (asan || tsan) GTEST_SKIP() << "sanitizers reserve more address space than any limit leaves";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{8UL << 30, 8UL << 30};
    rlimit kept{};
    if (::setrlimit(RLIMIT_AS, &limit) != 0 || ::getrlimit(RLIMIT_AS, &kept) != 0) ::_exit(3);
    if (kept.rlim_cur != limit.rlim_cur) ::_exit(77);
    std::vector<stack_memory> got;
    while (auto stack = allocate_stack(1UL << 30, 0)) {
      got.push_back(*stack);
      if (got.size() > 8) ::_exit(1);
    }
    if (errno != ENOMEM || got.empty()) ::_exit(2);
    release_stack(got.back());
    ::_exit(allocate_stack(1UL << 30, 0) ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "an emulator that drops limits";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Stacks use at most a part of the mappings that the kernel allows, when `others` of them are in
// use elsewhere.
void expect_refusal_of_stacks(std::size_t others, bool (*is_right)(std::size_t, std::size_t)) {
  if (asan || tsan) GTEST_SKIP() << "sanitizers need mappings of their own";
  std::ifstream setting("/proc/sys/vm/max_map_count");
  std::size_t most = 0;
  if (!(setting >> most) || most > 1'000'000 || most < others * 2)
    GTEST_SKIP() << "too many mappings to use up, or too few";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<stack_memory> got;
    got.reserve(most);
    const std::size_t page = page_bytes();
    auto* const area = static_cast<std::byte*>(
        ::mmap(nullptr, others * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (std::size_t i = 1; i < others; i += 2) ::mprotect(area + i * page, page, PROT_READ);
    while (auto stack = allocate_stack(0, 0)) got.push_back(*stack);
    const bool refused = errno == ENOMEM;
    const std::size_t stacks = got.size();
    for (const stack_memory& stack : got) release_stack(stack);
    ::_exit(refused && is_right(stacks, most) && allocate_stack(0, 0) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(StackMemoryLimits, NineTenthsOfTheMappingsAreForStacks) {
  expect_refusal_of_stacks(
      0, [](std::size_t stacks, std::size_t most) { return stacks == most / 10 * 9 / 2; });
}

// Each stack takes two mappings, and a refusal by the kernel leaves nothing half done.
TEST(StackMemoryLimits, RunningOutOfMappingsIsARefusalAndNotTheEnd) {
  expect_refusal_of_stacks(30'000, [](std::size_t stacks, std::size_t most) {
    const std::size_t left = most - 30'000;
    return stacks > left / 2 - 200 && stacks <= left / 2;
  });
}

TEST(StackMemoryThreads, ManyAtOnce) {
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t) {
    all.emplace_back([] {
      for (int i = 0; i < 300; ++i) {
        const auto stack = allocate_stack(64 * 1024, 0);
        ASSERT_TRUE(stack);
        *(stack->top() - 1) = std::byte{1};
        trim_stack(*stack, 0);
        EXPECT_EQ(resident_bytes(*stack), 0U);
        release_stack(*stack);
      }
    });
  }
  for (std::thread& thread : all) thread.join();
}

}  // namespace
}  // namespace heist_test
