// heist::cluster::parallel_reduce(): combines what a function gives for each number of a range, on
// all ranks of a cluster.
//
//     const auto primes = heist::cluster::parallel_reduce(
//         cluster, "primes below 1e9", {0, 1'000'000'000}, std::uint64_t{0},
//         [](std::uint64_t i) { return std::uint64_t{is_prime(i)}; }, std::plus{});
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "heist/cluster/detail/interval_bag.hpp"
#include "heist/cluster/run.hpp"

namespace heist::inline v0::cluster {

// The numbers over which parallel_reduce goes.
struct range {
  std::uint64_t first = 0, last = 0;  // the numbers from `first` to before `last`
};

// On rank 0 returns combine(init, combine(map(first), combine(map(first + 1), ...))), with some
// placing of the brackets that differs from run to run: in order, so combine must be associative
// and need not be commutative. The other ranks return init. Every number is given to `map` exactly
// once; a map that takes long is a fine item, one that takes nanoseconds too.
//
// R must have a wire form. Several threads call both functions at once, on every rank. `name`,
// exceptions and failures: as for run().
template <class R, class Map, class Combine>
requires std::convertible_to<std::invoke_result_t<Map&, std::uint64_t>, R> && wireable<R>
[[nodiscard]] R parallel_reduce(context& in, const std::string& name, range over, R init, Map map,
                                Combine combine) {
  if (over.first > over.last) throw usage_error("parallel_reduce: the range ends before it begins");
  using bag_type = detail::interval_bag<R, Map, Combine>;
  const auto whole = [&] {
    bag_type bag(map, combine);
    bag.add({over.first, over.last});
    return bag;
  };
  auto bag = run(in, name, bag_type(map, combine), whole);
  if (in.rank() != 0) return init;
  auto result = bag.take_result();
  return result ? R(combine(std::move(init), std::move(*result))) : init;
}

}  // namespace heist::inline v0::cluster
