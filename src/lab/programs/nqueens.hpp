// The search of workloads/nqueens: a thread has some columns for the next queen and divides them
// into the first and the others. The last `cutoff` rows are one thread's work, an instruction for
// each queen that is tried.
#pragma once

#include <cstdint>

#include "lab/model/program.hpp"
#include "workloads/nqueens/chessboard.hpp"

namespace heist::lab {

struct nqueens_program {
  using chessboard = workloads::chessboard;

  struct frame {
    chessboard board;
    std::uint32_t free, at;
    std::uint64_t work;  // of the rows that aren't forked; 0: they are
  };

  unsigned n = 8, cutoff = 4;

  [[nodiscard]] frame root() const {
    const auto board = chessboard::empty(n);
    return thread_of(board, board.free());
  }
  [[nodiscard]] std::uint64_t weight(const frame& f) const { return f.work == 0 ? 1 : f.work; }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.board.rows_left(); }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at == 2; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) const {
    using enum action::next;
    if (f.work != 0) return {false, ends};
    const auto at = f.at++;
    if (at >= 2) return {false, at == 2 ? waits : ends};
    const std::uint32_t first = f.free & -f.free;
    child = at == 0 ? thread_of(f.board, first) : thread_of(f.board, f.free ^ first);
    return {true, goes_on};
  }

 private:
  // One column alone is the row behind it.
  [[nodiscard]] frame thread_of(chessboard board, std::uint32_t free) const {
    while (free != 0 && (free & (free - 1)) == 0) {
      board = board.with_queen_at(free);
      if (board.rows_left() <= cutoff) return {board, 0, 0, queens_tried(board)};
      free = board.free();
    }
    return {board, free, 0, free == 0 ? std::uint64_t{1} : std::uint64_t{0}};
  }

  [[nodiscard]] static std::uint64_t queens_tried(const chessboard& board) {
    std::uint64_t tried = 1;
    for (std::uint32_t free = board.free(); free != 0; free &= free - 1)
      tried += queens_tried(board.with_queen_at(free & -free));
    return tried;
  }
};

}  // namespace heist::lab
