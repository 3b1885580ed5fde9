// A board of n queens: the row that gets the next one is three words of bits, after M. Richards,
// Backtracking Algorithms in MCPL using Bit Patterns and Recursion (Cambridge TR 433, 1997).
#pragma once

#include <bit>
#include <cstdint>

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

}  // namespace heist::workloads
