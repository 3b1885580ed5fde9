// Whom a worker without work asks next (victim_kind).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

inline std::uint64_t next_random(worker& w) noexcept {
  std::uint64_t x = w.random;  // xorshift64
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return w.random = x;
}

inline worker& choose_victim(worker& w, unsigned attempt) noexcept {
  const unsigned n = w.pool.size();
  const victim_kind kind = w.pool.config().victim;
  if (attempt == 0 && kind == victim_kind::last && w.last_victim != w.index)
    return w.pool.at(w.last_victim);
  if (kind == victim_kind::nearest && w.index < n) {
    // Half of the attempts go to the nearest quarter, so that far ones aren't forgotten.
    const auto& near = w.pool.near_first(w.index);
    const std::uint64_t r = next_random(w);
    const std::size_t among = (r >> 40 & 1) != 0 ? (near.size() + 3) / 4 : near.size();
    return w.pool.at(near[(r & 0xffffffff) % among]);
  }
  const unsigned others = w.index < n ? n - 1 : n;  // a caller in its own seat is none of them
  const unsigned other = static_cast<unsigned>((next_random(w) >> 16) % others);
  return w.pool.at(other >= w.index ? other + 1 : other);
}

}  // namespace heist::inline v0::detail
