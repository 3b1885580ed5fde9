// The workloads whose answer is one published number.
#include "check_workload.hpp"
#include "workloads/fib/fib.hpp"
#include "workloads/nqueens/nqueens.hpp"

using namespace heist::workloads;

TEST(Fib, GivesTheKnownNumbers) {
  EXPECT_EQ(fib_serial(0), 0);
  EXPECT_EQ(fib_serial(1), 1);
  EXPECT_EQ(fib_serial(25), 75025);
  EXPECT_EQ(fib(0), 0);
  EXPECT_EQ(fib(1), 1);
  EXPECT_EQ(fib(25), 75025);
}

TEST(Fib, CountsItsForks) {
  const auto instance = make_instance("fib", {{"n", "5"}});
  EXPECT_EQ(instance->work().items, 7);  // calls with 5, 4, 3, 3 and three times 2
}

TEST(NQueens, GivesTheKnownCounts) {
  const std::uint64_t known[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724};
  for (unsigned n = 1; n <= 10; ++n) {
    const auto board = chessboard::empty(n);
    EXPECT_EQ(count_boards_serially(board), known[n - 1]) << n << " queens";
    for (const unsigned cutoff : {0u, 3u, 20u})
      EXPECT_EQ(count_boards(board, board.free(), cutoff, forked{}), known[n - 1])
          << n << " queens, cutoff " << cutoff;
  }
}

TEST(Registry, FindsEveryWorkloadByItsName) {
  EXPECT_EQ(all().size(), 29u);
  for (const auto* workload : all()) {
    EXPECT_EQ(find(workload->name()), workload);
    EXPECT_FALSE(workload->summary().empty());
  }
  EXPECT_EQ(find("fibb"), nullptr);
}
