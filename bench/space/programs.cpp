#include "bench/space/programs.hpp"

#include <heist/fork_join.hpp>

#include "workloads/nqueens/nqueens.hpp"

namespace heist::bench::metered {

namespace {

// fork_join with the marks that an extent_meter needs.
template <class First, class Second>
[[gnu::always_inline]] inline std::uint64_t sum_of(extent_meter& meter, First first,
                                                   Second second) {
  const auto marked = [&meter](auto function) {
    const std::uint64_t result = function();
    meter.mark();
    return result;
  };
  const auto [a, b] = fork_join([=] { return marked(first); }, [=] { return marked(second); });
  return a + b;
}

std::uint64_t count_boards(extent_meter& meter, workloads::chessboard board, std::uint32_t free) {
  meter.mark();
  if (free == 0) return 0;
  const std::uint32_t first = free & -free;
  const auto with_first = [&meter, board, first]() -> std::uint64_t {
    const auto next = board.with_queen_at(first);
    if (next.columns == next.all) return 1;
    return count_boards(meter, next, next.free());
  };
  if (free == first) return with_first();
  return sum_of(meter, with_first,
                [&meter, board, rest = free ^ first] { return count_boards(meter, board, rest); });
}

}  // namespace

std::uint64_t fib(extent_meter& meter, std::uint64_t n) {
  meter.mark();
  if (n < 2) return n;
  return sum_of(
      meter, [&meter, n] { return fib(meter, n - 1); }, [&meter, n] { return fib(meter, n - 2); });
}

std::uint64_t queens(extent_meter& meter, unsigned n) {
  const auto board = workloads::chessboard::empty(n);
  return count_boards(meter, board, board.free());
}

std::uint64_t chain(extent_meter& meter, unsigned links) {
  meter.mark();
  if (links == 0) return 0;
  return sum_of(
      meter, [&meter, links] { return chain(meter, links - 1); },
      [&meter] { return fib(meter, link_size); });
}

std::uint64_t reversed_chain(extent_meter& meter, unsigned links) {
  meter.mark();
  if (links == 0) return 0;
  return sum_of(
      meter, [&meter] { return fib(meter, link_size); },
      [&meter, links] { return reversed_chain(meter, links - 1); });
}

}  // namespace heist::bench::metered
