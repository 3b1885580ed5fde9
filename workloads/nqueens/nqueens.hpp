// Counts the ways to put n queens on a board of n rows so that none attacks another. The shape of
// the search tree is not known beforehand: some branches end at once, others hold millions of
// boards. Therefore no fixed division balances the work, but stealing does.
//
// A row is three words of bits, after M. Richards, Backtracking Algorithms in MCPL using Bit
// Patterns and Recursion (Cambridge TR 433, 1997).

#pragma once

#include <bit>
#include <cstdint>

#include "workloads/forkers.hpp"

namespace heist::workloads {

struct chessboard {
  std::uint32_t all;          // one bit for each column
  std::uint32_t columns = 0;  // columns taken
  std::uint32_t rising = 0;   // diagonals taken, as they meet the next row
  std::uint32_t falling = 0;

  static chessboard empty(unsigned n) { return {.all = (std::uint32_t{1} << n) - 1}; }

  [[nodiscard]] std::uint32_t free() const { return all & ~(columns | rising | falling); }
  [[nodiscard]] unsigned rows_left() const {
    return static_cast<unsigned>(std::popcount(all) - std::popcount(columns));
  }
  [[nodiscard]] chessboard with_queen_at(std::uint32_t column) const {
    return {all, columns | column, (rising | column) << 1, (falling | column) >> 1};
  }
};

// Counts serially, in a loop over the free columns of the next row.
inline std::uint64_t count_boards_serially(chessboard board) {
  if (board.columns == board.all) return 1;
  std::uint64_t boards = 0;
  for (std::uint32_t free = board.free(); free != 0; free &= free - 1)
    boards += count_boards_serially(board.with_queen_at(free & -free));
  return boards;
}

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
