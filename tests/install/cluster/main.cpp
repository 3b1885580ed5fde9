// A user's program on a cluster, of one rank where no launcher starts it. Prints the sum of some
// squares.
#include <cstdint>
#include <cstdio>
#include <functional>

#include <heist/cluster/mpi.hpp>
#include <heist/cluster/parallel_reduce.hpp>

int main() {
  heist::cluster::context cluster;
  const auto sum = heist::cluster::parallel_reduce(
      cluster, "squares below 1000", {0, 1000}, std::uint64_t{0},
      [](std::uint64_t i) { return i * i; }, std::plus<std::uint64_t>{});
  if (cluster.rank() == 0) std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return cluster.rank() != 0 || sum == 332'833'500 ? 0 : 1;
}
