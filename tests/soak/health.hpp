// Health checks among a soak's programs: how long a function of high priority waits to begin.
#pragma once

#include <cstdint>
#include <thread>

#include "heist/pool.hpp"

namespace heist_soak {

// While it lives, a thread of its own gives the pool such a function every millisecond, and waits
// for it; the destructor returns when the last one has begun. `round` names the round in the
// report.
class health_checks {
 public:
  health_checks(heist::pool& pool, std::uint64_t round);
  // Of all that there were: how many, quantiles, and the longest wait with its round.
  static void report();

 private:
  std::jthread thread_;
};

}  // namespace heist_soak
