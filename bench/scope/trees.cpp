#include "bench/scope/trees.hpp"

#include <array>

#include <heist/scope.hpp>

#include "workloads/nqueens/nqueens.hpp"
#include "workloads/skynet/skynet.hpp"

namespace heist::bench::spawned {

namespace {

using workloads::chessboard;
using workloads::skynet_node;

constexpr unsigned rows_counted_serially = 7;  // as in workloads/nqueens

template <spawn_kind Kind>
std::uint64_t skynet(const skynet_node& node) {
  if (node.leaves == 1) return node.first;
  std::array<std::uint64_t, workloads::skynet_children> sums;
  const std::uint64_t children = node.children();
  scope(Kind, [&](task_scope& s) {
    for (std::uint64_t i = 0; i < children; ++i)
      s.spawn([&sum = sums[i], child = node.child(i)] { sum = skynet<Kind>(child); });
  });
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < children; ++i) sum += sums[i];
  return sum;
}

template <spawn_kind Kind>
std::uint64_t queens(chessboard board) {
  if (board.rows_left() <= rows_counted_serially) return workloads::count_boards_serially(board);
  std::array<std::uint64_t, 32> boards;
  std::size_t children = 0;
  scope(Kind, [&](task_scope& s) {
    for (std::uint32_t free = board.free(); free != 0; free &= free - 1)
      s.spawn([&found = boards[children++], next = board.with_queen_at(free & -free)] {
        found = queens<Kind>(next);
      });
  });
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < children; ++i) sum += boards[i];
  return sum;
}

}  // namespace

std::uint64_t skynet_by_forks(std::uint64_t leaves) {
  return workloads::skynet(skynet_node{0, leaves}, workloads::forked{});
}

std::uint64_t skynet_by_spawns(std::uint64_t leaves, spawn_kind kind) {
  const skynet_node all{0, leaves};
  return kind == spawn_kind::child ? skynet<spawn_kind::child>(all)
                                   : skynet<spawn_kind::continuation>(all);
}

std::uint64_t queens_by_forks(unsigned n) {
  const auto board = chessboard::empty(n);
  return workloads::count_boards(board, board.free(), rows_counted_serially, workloads::forked{});
}

std::uint64_t queens_by_spawns(unsigned n, spawn_kind kind) {
  const auto board = chessboard::empty(n);
  return kind == spawn_kind::child ? queens<spawn_kind::child>(board)
                                   : queens<spawn_kind::continuation>(board);
}

std::uint64_t queens_serially(unsigned n) {
  return workloads::count_boards_serially(chessboard::empty(n));
}

}  // namespace heist::bench::spawned
