// Refusals by a sandbox, a container or a limit: a kind of system call, from the start of the
// process or from some moment on; address space; threads; and the size of the threads' own stacks.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "heist/heist.hpp"
#include "heist/sync/latch.hpp"
#include "tests/faults/apart.hpp"
#include "tests/faults/operations.hpp"
#include "tests/faults/refusing.hpp"
#include "tests/faults/system_calls.hpp"
#include "tests/faults/work.hpp"

namespace heist_test {
namespace {

struct refused_calls {
  std::string name;
  std::vector<long> calls;
};
void PrintTo(const refused_calls& c, std::ostream* out) { *out << c.name; }

// brk and munmap are not in the list, because the C library does not expect their refusal.
const std::vector<refused_calls>& all_refused_calls() {
  static const std::vector<refused_calls> all{
      {"mmap", {SYS_mmap}},
      {"mprotect", {SYS_mprotect}},
      {"madvise", {SYS_madvise}},
      {"clone3", {SYS_clone3}},
      {"clone", {SYS_clone, SYS_clone3}},
      {"membarrier", {SYS_membarrier}},
      {"setaffinity", {SYS_sched_setaffinity}},
      {"getaffinity", {SYS_sched_getaffinity}},
      {"affinity", {SYS_sched_setaffinity, SYS_sched_getaffinity, SYS_getcpu}},
      {"sigaltstack", {SYS_sigaltstack}},
      {"sigaction", {SYS_rt_sigaction}},
      {"sigqueue", {SYS_rt_tgsigqueueinfo}},
      {"no_barrier", {SYS_membarrier, SYS_rt_sigaction}},
      {"no_barrier_either", {SYS_membarrier, SYS_rt_tgsigqueueinfo}},
      {"prctl", {SYS_prctl}},
      {"files", {SYS_openat, SYS_read}},
      {"yield", {SYS_sched_yield}},
      {"all_that_is_optional",
       {SYS_membarrier, SYS_sched_setaffinity, SYS_sched_getaffinity, SYS_sigaltstack, SYS_prctl,
        SYS_madvise, SYS_openat, SYS_sched_yield}},
  };
  return all;
}

// Makes a pool and uses it: the results must be right, or an exception must name the refusal.
void try_pool(report& r, const heist::pool_config& config) {
  try {
    heist::pool pool(config);
    if (!works(pool)) r.fail("a wrong result");
  } catch (const std::bad_alloc&) {
  } catch (const heist::resource_error&) {
  } catch (const std::exception& e) {
    r.fail("threw something else: %s", e.what());
  }
}

std::vector<pool_start> some_starts() {
  if (is_long_run()) return all_pool_starts();
  std::vector<pool_start> some;
  for (const pool_start& start : all_pool_starts())
    if (start.name == "plain" || start.name == "idle_spin" || start.name == "everything")
      some.push_back(start);
  return some;
}

class Sandboxes : public testing::TestWithParam<refused_calls> {};
INSTANTIATE_TEST_SUITE_P(Without, Sandboxes, testing::ValuesIn(all_refused_calls()),
                         [](const auto& one) { return one.param.name; });

TEST_P(Sandboxes, FromTheStart) {
  for (const int error : {EPERM, ENOSYS}) {
    for (const pool_start& start : some_starts()) {
      EXPECT_EQ(run_apart([&](report& r) {
                  if (!system_calls::refuse_always(GetParam().calls, error))
                    return r.fail("no filter for system calls");
                  try_pool(r, start.config);
                  try_pool(r, start.config);
                }),
                "")
          << start.name << ", error " << error;
    }
  }
}

// These refusals can no longer be reported by an exception: a pool that has been made must continue
// to work.
TEST_P(Sandboxes, FromSomeMomentOn) {
  if (GetParam().name.starts_with("no_barrier"))
    GTEST_SKIP() << "no barrier at all is known to end the process, with a message";
  for (const int error : {EPERM, ENOSYS}) {
    for (const pool_start& start : some_starts()) {
      EXPECT_EQ(run_apart([&](report& r) {
                  heist::pool pool(start.config);
                  if (!works(pool)) r.fail("a wrong result before");
                  if (!system_calls::refuse_everywhere(GetParam().calls, error))
                    return r.fail("no filter for system calls");
                  for (int i = 0; i < 20; ++i) {
                    r.at(i);
                    try {
                      if (!works(pool)) r.fail("a wrong result");
                    } catch (const std::bad_alloc&) {
                    } catch (const heist::resource_error&) {
                    }
                  }
                }),
                "")
          << start.name << ", error " << error;
    }
  }
}

// ---- limits

void expect_under(int resource, rlim_t limit, const heist::pool_config& config) {
  EXPECT_EQ(run_apart([&](report& r) {
              const rlimit both{limit, limit};
              if (::setrlimit(static_cast<__rlimit_resource>(resource), &both) != 0)
                return r.fail("no limit");
              try_pool(r, config);
              try_pool(r, config);
            }),
            "")
      << "limit " << limit;
}

TEST(Limits, OfAddressSpace) {
  const auto mapped = static_cast<rlim_t>(footprint::now().mapped_kib) << 10;
  for (rlim_t more = 1 << 20; more < (rlim_t{1} << 30); more += more / 2)
    expect_under(RLIMIT_AS, mapped + more, {.workers = 8});
}

// The limit does not apply to root, so another user makes the attempt; each test has a user of its
// own, because all processes of a user count.
TEST(Limits, OfThreads) {
  for (rlim_t threads = 1; threads < 12; ++threads) {
    EXPECT_EQ(run_apart([&](report& r) {
                const auto user = static_cast<uid_t>(700'000'000 + ::getpid());
                if (::geteuid() == 0 && ::setresuid(user, user, user) != 0)
                  return r.fail("no other user");
                const rlimit both{threads, threads};
                if (::setrlimit(RLIMIT_NPROC, &both) != 0) return r.fail("no limit");
                try_pool(r, {.workers = 8});
                if (::getuid() == user && threads > 1) {
                  heist::pool pool({.workers = 8});
                  if (pool.workers() >= 8 && threads < 8) r.fail("more threads than allowed");
                }
              }),
              "")
        << threads << " threads";
  }
}

// When a program starts, the C library takes the default size of a thread's stack from this limit.
TEST(Limits, OfTheThreadsOwnStacks) {
  for (const rlim_t kib :
       {rlim_t{32}, rlim_t{64}, rlim_t{256}, rlim_t{8192}, RLIM_INFINITY >> 10}) {
    const ending end = run_to_its_end([&] {
      const rlim_t bytes = kib == RLIM_INFINITY >> 10 ? RLIM_INFINITY : kib << 10;
      const rlimit both{bytes, RLIM_INFINITY};
      ::setrlimit(RLIMIT_STACK, &both);
      ::execl("/proc/self/exe", "heist_refusals_test", "--work", nullptr);
    });
    EXPECT_EQ(end.how, "exit 0") << kib << " KiB: " << end.errors;
  }
}

// If more functions wait than there can be stacks, the others begin when the first ones have ended,
// and the rest of the program still gets memory and threads, each of which is a mapping.
TEST(Limits, OfMappings) {
  EXPECT_EQ(
      run_apart([](report& r) {
        constexpr std::uint64_t functions = 40'000;
        heist::pool pool({.workers = 2, .stack_size = 64 << 10});
        heist::latch open(1);
        std::atomic<std::uint64_t> ran{0};
        std::thread outside([&] {
          std::uint64_t mapped = 0;
          do {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            const std::uint64_t before = std::exchange(mapped, pool.stats().stacks_mapped);
            if (mapped > 1000 && mapped == before) break;  // no more stacks are mapped
          } while (true);
          try {
            std::vector<std::unique_ptr<char[]>> large(1000);  // each above malloc's threshold
            for (auto& one : large) one.reset(new char[std::size_t{64} << 20]);
            for (int i = 0; i < 10; ++i) std::thread([] {}).join();
          } catch (const std::exception& e) {
            r.fail("the program gets nothing any more: %s", e.what());
          }
          open.count_down();
        });
        pool.run([&] {
          heist::scope(heist::spawn_kind::child, [&](heist::task_scope& s) {
            for (std::uint64_t i = 0; i < functions; ++i)
              s.spawn([&] {
                open.wait();
                ran.fetch_add(1, std::memory_order_relaxed);
              });
          });
        });
        outside.join();
        if (ran != functions) r.fail("some functions did not run");
      }),
      "");
}

// Children that wait for what their spawner does after it has spawned them all.
void spawn_waiting(report& r, heist::pool& pool, int children, std::uint64_t at_least_stacks,
                   heist::spawn_kind kind = heist::spawn_kind::continuation) {
  std::atomic<int> ended{0};
  pool.run([&] {
    heist::latch open(1);
    heist::scope(kind, [&](heist::task_scope& s) {
      for (int i = 0; i < children; ++i)
        s.spawn([&] {
          open.wait();
          ended.fetch_add(1, std::memory_order_relaxed);
        });
      if (pool.stats().stacks_in_use < at_least_stacks) r.fail("too few children wait");
      open.count_down();
    });
  });
  if (ended != children) r.fail("%d of %d children ended", ended.load(), children);
}

TEST(Limits, OfStacksForTheChildrenOfAScope) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    EXPECT_EQ(run_apart([workers](report& r) {
                heist::pool pool({.workers = workers, .stack_size = 64 << 10});
                spawn_waiting(r, pool, 25'000, 25'000);
                spawn_waiting(r, pool, 100'000, 25'000);
              }),
              "")
        << workers << " workers";
  }
}

// Of those that find no place on the deque, too.
TEST(Limits, OfThePlacesForTheChildrenOfAScope) {
  for (const unsigned workers : {1U, 2U, 3U}) {
    EXPECT_EQ(run_apart([workers](report& r) {
                heist::pool pool({.workers = workers, .stack_size = 64 << 10});
                spawn_waiting(r, pool, 100'000, 0, heist::spawn_kind::child);
              }),
              "")
        << workers << " workers";
  }
}

// What one pool has mapped and doesn't use, another one gets.
TEST(Limits, OfStacksThatAnotherPoolKeeps) {
  EXPECT_EQ(run_apart([](report& r) {
              heist::pool one({.workers = 2, .stack_size = 64 << 10});
              spawn_waiting(r, one, 28'000, 28'000);
              heist::pool two({.workers = 2, .stack_size = 64 << 10});
              spawn_waiting(r, two, 10'000, 10'000);
              spawn_waiting(r, one, 25'000, 25'000);
            }),
            "");
}

}  // namespace
}  // namespace heist_test
