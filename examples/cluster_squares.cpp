// The sum of the squares of the numbers below 10^9 on all ranks of a cluster, in two ways: as a
// reduction, and with a bag of one's own. mpirun -n 4 example_cluster_squares
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <heist/cluster/parallel_reduce.hpp>
#include <heist/cluster/run.hpp>

namespace cluster = heist::cluster;

// The items are numbers, in ranges; the result is the sum of their squares, modulo 2^64.
struct squares {
  struct range {
    std::uint64_t first, last;
  };
  std::vector<range> open;
  std::uint64_t sum = 0;

  std::uint64_t process(std::uint64_t most) {
    std::uint64_t done = 0;
    for (; done < most && !open.empty(); ++done) {
      auto& [first, last] = open.back();
      sum += first * first;
      if (++first == last) open.pop_back();
    }
    return done;
  }
  bool is_empty() const { return open.empty(); }
  // Half of the ranges, or of the only one. To halve each would double their number each time.
  std::optional<squares> split() {
    squares half;
    if (open.size() > 1) {
      const auto some = open.end() - static_cast<std::ptrdiff_t>(open.size() / 2);
      half.open.assign(some, open.end());
      open.erase(some, open.end());
    } else if (!open.empty() && open[0].last - open[0].first > 1) {
      auto& [first, last] = open[0];
      const auto middle = first + (last - first) / 2;
      half.open.push_back({middle, std::exchange(last, middle)});
    } else {
      return std::nullopt;
    }
    return half;
  }
  void merge(const squares& other) {
    open.insert(open.end(), other.open.begin(), other.open.end());
    sum += other.sum;
  }
};

// How a bag becomes bytes. Numbers, strings, vectors, pairs and maps are known.
template <>
struct heist::cluster::wire<squares> {
  static void write(wire_writer& to, const squares& bag) { to.put(bag.open).put(bag.sum); }
  static squares read(wire_reader& from) {
    auto open = from.get<std::vector<squares::range>>();
    return {std::move(open), from.get<std::uint64_t>()};
  }
};

int main() {
  constexpr std::uint64_t n = 1'000'000'000;
  cluster::context all;
  const auto reduced = cluster::parallel_reduce(
      all, "squares", {0, n}, std::uint64_t{0}, [](std::uint64_t i) { return i * i; }, std::plus{});
  const auto bag = cluster::run(all, "a bag of squares", squares{}, [] {
    return squares{{{0, n}}, 0};
  });
  if (all.rank() != 0) return 0;
  std::printf("%llu on %u ranks\n", static_cast<unsigned long long>(reduced), all.size());
  return reduced == bag.sum ? 0 : 1;
}
