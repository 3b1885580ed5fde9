// The settings and the result of a run with costs: work stealing where instructions, forks, steals
// and wake-ups take the time that they take on some machine. Times are whole picoseconds, so that
// the same seed gives the same bytes.
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "lab/engines/cost_model.hpp"

namespace heist::lab {

inline constexpr std::uint32_t max_timed_processors = 65'536;

struct timed_settings {
  std::uint32_t processors = 1;
  std::uint64_t seed = 1;
  cost_model costs;
};

// A processor's time consists of work, overhead, sleep, and the rest, in which it looks for work.
struct timed_result {
  std::uint64_t processors = 0;
  std::uint64_t time_ps = 0;      // T
  std::uint64_t work_ps = 0;      // instructions
  std::uint64_t overhead_ps = 0;  // forks, steals that got something, suspensions, waking others
  std::uint64_t asleep_ps = 0;
  std::uint64_t instructions = 0;
  std::uint64_t forks = 0;        // forks that left a thread for thieves
  std::uint64_t steals = 0;       // attempts that got something
  std::uint64_t attempts = 0;     // all of them
  std::uint64_t suspensions = 0;  // joins that had to wait for a thief
  std::uint64_t wakes = 0;
  std::uint64_t peak_space = 0;  // S: the frames of the living threads, at most

  [[nodiscard]] double seconds() const { return static_cast<double>(time_ps) * 1e-12; }
  friend bool operator==(const timed_result&, const timed_result&) = default;
};

// Throws usage_error for what no run can be made from.
inline void check_settings(const timed_settings& settings) {
  if (settings.processors == 0 || settings.processors > max_timed_processors)
    throw usage_error(fmt::format("with costs P is from 1 to {}, not {}", max_timed_processors,
                                  settings.processors));
}

}  // namespace heist::lab
