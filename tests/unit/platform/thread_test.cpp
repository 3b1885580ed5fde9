// Threads: refusals are results, not exceptions.
#include "platform/thread.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "platform/once.hpp"
#include "platform/process.hpp"
#include "platform/process_mutex.hpp"
#include "sanitizers.hpp"
#include "tests/unit/runtime/child.hpp"

namespace heist_test {
namespace {

using heist::platform::set_thread_faults_for_test;
using heist::platform::set_thread_name;
using heist::platform::thread_id;
using heist::platform::try_start_thread;

TEST(Thread, RunsItsBodyOnce) {
  std::atomic<int> runs{0};
  auto started = try_start_thread([&runs, moved = std::make_unique<int>(5)] {
    runs.fetch_add(*moved, std::memory_order_relaxed);
  });
  ASSERT_TRUE(started);
  started->join();
  EXPECT_EQ(runs.load(std::memory_order_relaxed), 5);
}

TEST(Thread, InjectedRefusalComesAtTheGivenStart) {
  set_thread_faults_for_test(2);
  std::vector<std::thread> got;
  for (int i = 0; i < 4; ++i) {
    errno = 0;
    auto started = try_start_thread([] {});
    EXPECT_EQ(started.has_value(), i < 2) << i;
    if (!started) {
      EXPECT_EQ(errno, EAGAIN);
    }
    if (started) got.push_back(std::move(*started));
  }
  set_thread_faults_for_test(-1);
  auto started = try_start_thread([] {});
  ASSERT_TRUE(started);
  got.push_back(std::move(*started));
  for (std::thread& thread : got) thread.join();
}

TEST(Thread, NamesAreCutToWhatTheKernelKeeps) {
  auto started = try_start_thread([] {
    std::array<char, 16> name{};
    set_thread_name("heist/3");
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "heist/3");
    set_thread_name("a name of far more than fifteen bytes");
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "a name of far m");
    set_thread_name("heist", '-', 1023);
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "heist-1023");
    set_thread_name("fourteen bytes", '-', 12);
    ::pthread_getname_np(::pthread_self(), name.data(), name.size());
    EXPECT_STREQ(name.data(), "fourteen bytes-");
  });
  ASSERT_TRUE(started);
  started->join();
}

TEST(Thread, MainThreadHasTheProcessesNumberAndOthersTheirOwn) {
  EXPECT_EQ(thread_id(), ::getpid());
  pid_t other = 0;
  std::thread([&other] { other = thread_id(); }).join();
  EXPECT_NE(other, ::getpid());
}

// A thread's stack does not fit the limit, so the system itself refuses it.
TEST(Thread, RefusalOfMemoryIsAResult) {
  if (asan || tsan) GTEST_SKIP() << "sanitizers reserve more address space than any limit leaves";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit none{64UL << 20, 64UL << 20};
    const rlimit large_stacks{1UL << 30, 1UL << 30};
    if (::setrlimit(RLIMIT_AS, &none) != 0 || ::setrlimit(RLIMIT_STACK, &large_stacks) != 0)
      ::_exit(3);
    rlimit kept{};
    if (::getrlimit(RLIMIT_AS, &kept) != 0 || kept.rlim_cur != none.rlim_cur) ::_exit(77);
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, 1UL << 30);
    ::pthread_setattr_default_np(&attributes);
    const auto started = try_start_thread([] {});
    ::_exit(started ? 1 : (errno == EAGAIN ? 0 : 2));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "an emulator that drops limits";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Uses the pids cgroup, if it is writable, because its limit applies to root too.
TEST(Thread, RefusalByThePidsGroupIsAResult) {
  const std::string group = "/sys/fs/cgroup/pids/heist-test-" + std::to_string(::getpid());
  const auto set = [&group](const std::string& file, long value) {
    std::ofstream out(group + file);
    out << value << std::flush;
    return out.good();
  };
  if (::mkdir(group.c_str(), 0755) != 0 || !set("/pids.max", 6)) {
    ::rmdir(group.c_str());
    GTEST_SKIP() << "no writable cgroup v1 pids hierarchy at /sys/fs/cgroup/pids";
  }
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(10);
    if (!set("/cgroup.procs", ::getpid())) ::_exit(3);
    std::atomic<bool> stop{false};
    std::vector<std::thread> got;
    int why = 0;
    while (got.size() < 20) {
      // Relaxed: the flag publishes nothing else.
      auto started = try_start_thread([&stop] {
        while (!stop.load(std::memory_order_relaxed)) ::usleep(100);
      });
      if (!started) {
        why = errno;
        break;
      }
      got.push_back(std::move(*started));
    }
    stop.store(true, std::memory_order_relaxed);
    const std::size_t count = got.size();
    for (std::thread& thread : got) thread.join();
    ::_exit(count >= 1 && count <= 5 && why == EAGAIN ? 0 : 1);  // a sanitizer has a thread too
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ::rmdir(group.c_str());
}

// ----
// The state that a process keeps across fork(): once_flag, process_mutex, process_generation().

namespace platform = heist::platform;

TEST(Process, AChildHasTheNextGeneration) {
  const unsigned ours = platform::process_generation();
  EXPECT_EQ(
      in_forked_child([&] {
        if (platform::process_generation() != ours + 1) return 1;
        return in_forked_child([&] { return platform::process_generation() == ours + 2 ? 0 : 2; });
      }),
      0);
  EXPECT_EQ(platform::process_generation(), ours);
}

TEST(OnceFlag, CallsOnceHoweverManyThreadsCome) {
  for (int round = 0; round < 200; ++round) {
    platform::once_flag once;
    std::atomic<int> calls{0};
    int made = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        once.call([&] {
          ++calls;
          made = 7;
        });
        EXPECT_EQ(made, 7);
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(calls.load(), 1);
  }
}

TEST(OnceFlag, AnExceptionLeavesItToTheNextCaller) {
  platform::once_flag once;
  EXPECT_THROW(once.call([] { throw std::runtime_error("no"); }), std::runtime_error);
  int calls = 0;
  once.call([&] { ++calls; });
  once.call([&] { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(OnceFlag, AChildForkedInTheMiddleBeginsAnew) {
  platform::once_flag once;
  int child = -1;
  once.call([&] {
    child = in_forked_child([&] {
      ::alarm(5);
      int calls = 0;
      once.call([&] { ++calls; });
      once.call([&] { ++calls; });
      return calls == 1 ? 0 : 1;
    });
  });
  EXPECT_EQ(child, 0);
}

TEST(OnceFlag, WhatWasDoneStaysDoneInAChild) {
  platform::once_flag once;
  once.call([] {});
  EXPECT_EQ(in_forked_child([&] {
              int calls = 0;
              once.call([&] { ++calls; });
              return calls;
            }),
            0);
}

TEST(ProcessMutex, ExcludesOthers) {
  platform::process_mutex mutex;
  long counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        const std::lock_guard hold(mutex);
        ++counter;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(counter, 80'000);
}

// In the child no existing thread holds the mutex, even if a thread was waiting for it.
TEST(ProcessMutex, AChildFindsItFree) {
  platform::process_mutex mutex;
  std::thread waiter;
  int child = -1;
  {
    const std::lock_guard hold(mutex);
    waiter = std::thread([&] { const std::lock_guard later(mutex); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    child = in_forked_child([&] {
      ::alarm(5);
      for (int i = 0; i < 3; ++i) const std::lock_guard mine(mutex);
      return 0;
    });
  }
  waiter.join();
  EXPECT_EQ(child, 0);
}

}  // namespace
}  // namespace heist_test
