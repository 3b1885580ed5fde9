// A program that links only heist and the standard library, does one thing, and prints the peak of
// its memory: memory_probe WHAT N WORKERS.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <heist/heist.hpp>

#include "bench/fork_join/fib.hpp"
#include "bench/memory/peak.hpp"
#include "workloads/nqueens/nqueens.hpp"

namespace {

constexpr unsigned unforked_rows = 4;

// Returns 0 for an unknown name.
std::uint64_t do_it(std::string_view what, unsigned n, unsigned workers) {
  namespace bench = heist::bench;
  namespace workloads = heist::workloads;
  if (what == "nothing") return 1;
  if (what == "serial") return bench::serial::fib(n);
  heist::pool pool({.workers = workers});
  if (what == "pool") return 1;
  if (what == "fib") return pool.run([=] { return bench::forked::fib(n); });
  if (what == "nqueens") {
    const auto board = workloads::chessboard::empty(n);
    return pool.run([=] {
      return workloads::count_boards(board, board.free(), unforked_rows, workloads::forked{});
    });
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto n = static_cast<unsigned>(std::strtoul(argv[2], nullptr, 10));
  const auto workers = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
  const auto result = do_it(argv[1], n, workers);
  if (result == 0) return 2;
  const unsigned long long bytes = heist::bench::peak_resident_bytes();
  std::printf("{\"result\":%llu,\"peak_bytes\":%llu}\n", static_cast<unsigned long long>(result),
              bytes);
  return 0;
}
