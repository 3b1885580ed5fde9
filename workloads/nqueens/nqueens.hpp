// Counts the ways to put n queens on a board of n rows so that none attacks another. The shape of
// the search tree is not known beforehand: some branches end at once, others hold millions of
// boards. Therefore no fixed division balances the work, but stealing does.

#pragma once

#include <cstdint>

#include "workloads/forkers.hpp"
#include "workloads/nqueens/chessboard.hpp"

namespace heist::workloads {

// Counts the solutions whose next queen is in one of the columns of `free`, in parallel: the first
// of these columns and the others are independent of each other. The last `cutoff` rows are not
// forked, because most placements are there and a fork costs about as much as one placement.
template <class Fork>
std::uint64_t count_boards(chessboard board, std::uint32_t free, unsigned cutoff, Fork fork) {
  if (free == 0) return 0;
  const std::uint32_t first = free & -free;
  const std::uint32_t rest = free ^ first;
  const auto with_first = [=] {
    const auto next = board.with_queen_at(first);
    if (next.rows_left() <= cutoff) return count_boards_serially(next);
    return count_boards(next, next.free(), cutoff, fork);
  };
  if (rest == 0) return with_first();
  const auto [a, b] = fork(with_first, [=] { return count_boards(board, rest, cutoff, fork); });
  return a + b;
}

}  // namespace heist::workloads
