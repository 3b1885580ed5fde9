#include <functional>

#include <fmt/format.h>

#include <heist/cluster/tree_search.hpp>

#include "cluster/command/programs.hpp"
#include "workloads/nqueens/known_boards.hpp"
#include "workloads/nqueens/nqueens.hpp"

namespace heist::cluster_command {

namespace {

// Boards with so few rows left are counted in a loop: some microseconds, next to which an item's
// way through the bag is nothing.
constexpr unsigned rows_of_a_loop = 7;

}  // namespace

outcome run_nqueens(cluster::context& in, const nqueens_request& request) {
  using workloads::chessboard;
  const auto visit = [](const chessboard& board, auto& search) {
    if (board.rows_left() <= rows_of_a_loop)
      return search.add(workloads::count_boards_serially(board));
    for (auto free = board.free(); free != 0; free &= free - 1)
      search.push(board.with_queen_at(free & -free));
  };
  outcome result{fmt::format("nqueens {}", request.queens), "", "placings"};
  const auto boards = cluster::tree_search(in, result.name, chessboard::empty(request.queens),
                                           std::uint64_t{0}, visit, std::plus<std::uint64_t>{});
  result.text = fmt::format("{} boards", boards);
  const auto known = workloads::known_boards.at(request.queens);
  if (boards != known) result.mistake = fmt::format("known are {}", known);
  return result;
}

}  // namespace heist::cluster_command
