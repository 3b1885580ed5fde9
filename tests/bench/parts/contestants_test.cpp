#include <gtest/gtest.h>

#include <heist/pool.hpp>

#include "bench/fork_join/fib.hpp"

namespace heist::bench {
namespace {

TEST(Fib, ByAdditionAndItsForks) {
  EXPECT_EQ(fib_by_addition(0), 0u);
  EXPECT_EQ(fib_by_addition(39), 63'245'986u);
  EXPECT_EQ(forks_of_fib(39), 102'334'154u);
  EXPECT_EQ(forks_of_fib(2), 1u);
}

TEST(Fib, EveryContestantSaysTheSame) {
  pool on({.workers = 2});
  for (std::size_t n = 0; n <= 15; ++n) {
    const auto expected = fib_by_addition(n);
    EXPECT_EQ(serial::fib(n), expected);
    EXPECT_EQ(on.run([n] { return forked::fib(n); }), expected);
    for (const unsigned threads : {1u, 2u}) {
      if (onetbb::is_built_in()) {
        EXPECT_EQ(onetbb::fib_by_task_group(n, threads), expected);
        EXPECT_EQ(onetbb::fib_by_parallel_invoke(n, threads), expected);
      }
      if (openmp::is_built_in()) {
        EXPECT_EQ(openmp::fib_by_tasks(n, threads), expected);
      }
    }
  }
}

}  // namespace
}  // namespace heist::bench
