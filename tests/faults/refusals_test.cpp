// Each allocation and each system call in turn is refused once, in every operation and in every start of a pool: the right
// result comes out, or an exception that says so; nothing hangs, dies or stays behind, and the pool works afterwards.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstdio>
#include <string>

#include "heist/heist.hpp"
#include "tests/faults/allocations.hpp"
#include "tests/faults/apart.hpp"
#include "tests/faults/operations.hpp"
#include "tests/faults/refusing.hpp"
#include "tests/faults/system_calls.hpp"
#include "tests/unit/runtime/fib.hpp"

namespace heist_test {
namespace {

constexpr seam of_allocations{&allocations::refuse_at, &allocations::was_refused,
                              [] { return std::string("allocation"); }, [] { return false; }};
// For where hwloc is asked: it ends the process where malloc says no.
constexpr seam of_new{&allocations::refuse_new_at, &allocations::was_refused,
                      [] { return std::string("operator new"); }, [] { return false; }};
constexpr seam of_system_calls{
    &system_calls::refuse_at, &system_calls::was_refused,
    [] { return "system call " + std::to_string(system_calls::refused()); },
    [] { return system_calls::refused() == SYS_munmap; }};

// How many were refused goes to the output, as a test that refuses nothing proves nothing.
void print(const char* what, long count) { std::printf("%ld %s were refused\n", count, what); }

template <class What>
void refuse_allocations(const What& what, const seam& s = of_allocations) {
  long count = 0;
  EXPECT_EQ(run_apart([&](report& r) { refuse_during(r, s, what); },
                      std::chrono::seconds(60), &count),
            "");
  print("allocations", count);
}

template <class What>
void refuse_system_calls(const What& what) {
  long count = 0;
  EXPECT_EQ(run_apart(
                [&](report& r) {
                  if (!system_calls::supervise()) return r.fail("no supervisor for system calls");
                  refuse_during(r, of_system_calls, what);
                },
                std::chrono::seconds(60), &count),
            "");
  print("system calls", count);
  EXPECT_GT(count, 0);
}

const auto by_name = [](const auto& one) { return one.param.name; };

class Operations : public testing::TestWithParam<construct> {};
INSTANTIATE_TEST_SUITE_P(Each, Operations, testing::ValuesIn(all_operations()), by_name);
TEST_P(Operations, WithoutMemory) { refuse_allocations(GetParam()); }
TEST_P(Operations, WithoutASystemCall) { refuse_system_calls(GetParam()); }

class PoolStarts : public testing::TestWithParam<pool_start> {};
INSTANTIATE_TEST_SUITE_P(Each, PoolStarts, testing::ValuesIn(all_pool_starts()), by_name);
TEST_P(PoolStarts, WithoutMemory) {
  const bool asks_hwloc = GetParam().config.victim == heist::victim_kind::nearest;
  refuse_allocations(GetParam(), asks_hwloc ? of_new : of_allocations);
}
TEST_P(PoolStarts, WithoutASystemCall) { refuse_system_calls(GetParam()); }

}  // namespace
}  // namespace heist_test
