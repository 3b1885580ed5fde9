// Two recordings of the same program, before and after a change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "recording/summary.hpp"

namespace heist::inline v0::trace {

// A number of each run. `noise` is the standard error of the difference, from how much each run
// differs in itself; 0: nothing is known of it.
struct compared {
  std::string what;
  double before = 0, after = 0, noise = 0;
  // After less before, as a share of before; HUGE_VAL where that is 0.
  [[nodiscard]] double change() const;
  // Whether the difference is beyond the noise: more than two standard errors.
  [[nodiscard]] bool is_clear() const;
};

struct difference {
  std::vector<compared> run;      // of the whole: times in ns, and counts
  std::vector<compared> regions;  // ns of work, all passes together
  std::vector<compared> passes;   // mean ns of a pass through a region, of those with several
};

// Regions are matched by their names, as numbers are.
[[nodiscard]] difference compare(const recording& before, const summary& of_before,
                                 const recording& after, const summary& of_after);

[[nodiscard]] nlohmann::json to_json(const difference& d);

}  // namespace heist::inline v0::trace
