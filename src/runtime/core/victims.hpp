// Whom a worker without work asks next (victim_kind).
#pragma once

#include <cstddef>
#include <cstdint>

#include "heist/detail/xorshift.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

inline std::uint64_t next_random(worker& w) noexcept { return w.random = xorshift(w.random); }

// In a pool with several places a search asks workers of the own place first: those of other places
// get one attempt of 64 in the first rounds, about as long as a wake-up takes, so that sleepers of
// a place come before others take what lies there; and one of four later. So every victim is asked
// with at least a 64th of the uniform probability (docs/scaling.md says what that does to the
// time).
inline constexpr unsigned rounds_at_own_place = 32;

inline worker& choose_victim(worker& w, unsigned attempt, unsigned round) noexcept {
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
  if (kind == victim_kind::random && w.pool.places() > 1) {
    const auto own = w.pool.workers_of(w.place);
    const std::uint64_t r = next_random(w);
    const std::uint64_t elsewhere = round < rounds_at_own_place ? 64 : 4;  // one attempt of so many
    if ((r >> 40) % elsewhere != 0 && own.end - own.first > 1) {
      const auto other =
          own.first + static_cast<unsigned>((r & 0xffffffff) % (own.end - own.first - 1));
      return w.pool.at(other >= w.index ? other + 1 : other);
    }
  }
  const unsigned others = w.index < n ? n - 1 : n;  // a caller in its own seat is none of them
  const unsigned other = static_cast<unsigned>((next_random(w) >> 16) % others);
  return w.pool.at(other >= w.index ? other + 1 : other);
}

}  // namespace heist::inline v0::detail
