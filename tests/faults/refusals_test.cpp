// In every operation and in every start of a pool, each allocation and each system call in turn is
// refused once. The result must be right, or an exception must report the refusal; nothing may
// hang, crash or leak, and the pool must work afterwards.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <tuple>

#include "heist/heist.hpp"
#include "tests/faults/allocations.hpp"
#include "tests/faults/apart.hpp"
#include "tests/faults/asio_operations.hpp"
#include "tests/faults/operations.hpp"
#include "tests/faults/refusing.hpp"
#include "tests/faults/system_calls.hpp"
#include "tests/faults/work.hpp"

namespace heist_test {
namespace {

constexpr seam of_allocations{&allocations::refuse_at, &allocations::was_refused};
// Used where hwloc is called, which ends the process if malloc fails.
constexpr seam of_new{&allocations::refuse_new_at, &allocations::was_refused};
constexpr seam of_system_calls{&system_calls::refuse_at, &system_calls::was_refused, true};

// The number of refusals goes to the output, because a test that refuses nothing proves nothing.
void print(const char* what, long count) { std::printf("%ld %s were refused\n", count, what); }

// Which call is refused depends on the threads' progress at that moment, so the long run tries each
// several times.
template <class What>
long refuse_allocations(const What& what, const seam& s = of_allocations) {
  long count = 0;
  for (int i = 0; i < (is_long_run() ? 20 : 1) && !testing::Test::HasFailure(); ++i) {
    const auto body = [&](report& r) { refuse_during(r, s, what); };
    EXPECT_EQ(run_apart(body, std::chrono::seconds(60), &count), "");
  }
  print("allocations", count);
  return count;
}

template <class What>
long refuse_system_calls(const What& what) {
  long count = 0;
  const auto body = [&](report& r) {
    if (!system_calls::supervise(r)) return r.fail("no supervisor for system calls");
    refuse_during(r, of_system_calls, what);
  };
  const std::chrono::seconds limit(is_long_run() ? 300 : 60);
  for (int i = 0; i < (is_long_run() ? 5 : 1) && !testing::Test::HasFailure(); ++i) {
    EXPECT_EQ(run_apart(body, limit, &count), "");
  }
  print("system calls", count);
  return count;
}

const auto by_name = [](const auto& one) { return one.param.name; };

class Operations : public testing::TestWithParam<construct> {};
INSTANTIATE_TEST_SUITE_P(Each, Operations, testing::ValuesIn(all_operations()), by_name);
TEST_P(Operations, WithoutMemory) {
  if (asio_needs_memory(GetParam())) GTEST_SKIP() << "asio dies of it";
  refuse_allocations(GetParam());
}
TEST_P(Operations, WithoutASystemCall) {
  if (asio_needs_epoll(GetParam())) GTEST_SKIP() << "asio waits for ever";
  refuse_system_calls(GetParam());
}

class PoolStarts : public testing::TestWithParam<pool_start> {};
INSTANTIATE_TEST_SUITE_P(Each, PoolStarts, testing::ValuesIn(all_pool_starts()), by_name);
TEST_P(PoolStarts, WithoutMemory) {
  const bool asks_hwloc = GetParam().config.victim == heist::victim_kind::nearest;
  EXPECT_GT(refuse_allocations(GetParam(), asks_hwloc ? of_new : of_allocations), 4);
}
TEST_P(PoolStarts, WithoutASystemCall) { EXPECT_GT(refuse_system_calls(GetParam()), 10); }

// ---- the first pool of a process, which makes the objects that all later pools share

template <class Refuse>
long refuse_in_first_pools(const seam& s, Refuse&& prepare) {
  long refusals = 0;
  for (long n = 1, without = 0; without < 3; ++n) {
    long was_refused = 0;
    const std::string problem = run_apart(
        [&](report& r) {
          prepare(r);
          s.refuse_at(n);
          for (int i = 0; i < 2; ++i) {
            try {
              heist::default_pool();
              if (heist::fork_join([] { return 1; }, [] { return 2; }) != std::tuple(1, 2))
                r.fail("a wrong result");
            } catch (const std::bad_alloc&) {
            } catch (const heist::resource_error&) {
            }
          }
          r.count(s.was_refused());
          heist::pool pool({.workers = 2});
          if (!works(pool) || !works(heist::default_pool())) r.fail("a wrong result later on");
        },
        std::chrono::seconds(20), &was_refused);
    EXPECT_EQ(problem, "") << "refusal " << n;
    if (!problem.empty()) break;
    without = was_refused != 0 ? 0 : without + 1;
    refusals += was_refused;
  }
  return refusals;
}

TEST(FirstPool, WithoutMemory) {
  const long count = refuse_in_first_pools(of_allocations, [](report&) {});
  print("allocations", count);
  EXPECT_GT(count, 20);
}

TEST(FirstPool, WithoutASystemCall) {
  const long count = refuse_in_first_pools(of_system_calls, [](report& r) {
    if (!system_calls::supervise(r)) r.fail("no supervisor for system calls");
  });
  print("system calls", count);
  EXPECT_GT(count, 20);
}

// With HEIST_STATS=1 a pool formats its statistics at its end.
TEST(Statistics, WithoutMemory) {
  ::setenv("HEIST_STATS", "1", 1);
  const int errors = ::dup(STDERR_FILENO);
  ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
  const long count = refuse_allocations(all_pool_starts()[0]);
  ::dup2(errors, STDERR_FILENO);
  ::unsetenv("HEIST_STATS");
  EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace heist_test
