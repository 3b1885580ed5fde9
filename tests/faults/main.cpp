// GoogleTest's main, in a process where the C library caches no memory: memory left after a test is
// then a leak.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "tests/faults/work.hpp"

// With --work this is a program that uses a pool, for limits that take effect only in a new
// program.
int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--work") {
    heist::pool pool({.workers = 3});
    return heist_test::works(pool) ? 0 : 1;
  }
  if (std::getenv("GLIBC_TUNABLES") == nullptr) {
    ::setenv("GLIBC_TUNABLES",
             "glibc.pthread.stack_cache_size=0:glibc.malloc.arena_max=1:"
             "glibc.malloc.mmap_threshold=1073741824",
             1);
    ::execv("/proc/self/exe", argv);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
