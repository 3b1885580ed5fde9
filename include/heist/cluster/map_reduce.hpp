// heist::cluster::map_reduce(): combines what a function makes of each file, on all ranks of
// a cluster.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/cluster/parallel_reduce.hpp"

namespace heist::inline v0::cluster {

// On rank 0 returns combine(init, combine(map(files[0]), combine(map(files[1]), ...))): in order,
// so combine must be associative and need not be commutative. The other ranks return init. `files`
// must be the same names on each rank, of files that each rank can read: who maps which one isn't
// known beforehand. A file is one item, so that `map` should take much less time than
// settings::silence. R, `name`, exceptions and failures: as for parallel_reduce().
template <class R, class Map, class Combine>
requires std::convertible_to<std::invoke_result_t<Map&, const std::string&>, R> && wireable<R>
[[nodiscard]] R map_reduce(context& in, const std::string& name,
                           const std::vector<std::string>& files, R init, Map map,
                           Combine combine) {
  std::string all = name;
  for (const auto& each : files) all += '\n' + each;
  return parallel_reduce(
      in, all, {0, files.size()}, std::move(init),
      [&](std::uint64_t i) -> R { return map(files[static_cast<std::size_t>(i)]); },
      std::move(combine));
}

}  // namespace heist::inline v0::cluster
