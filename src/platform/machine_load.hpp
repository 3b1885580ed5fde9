// What others take of the processors that this process may use: other programs, and the machine's
// own machine, if it is a virtual one. What measures says so beside the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heist::inline v0::platform {

class machine_load {
 public:
  // From now on. Reads a file: 10 us.
  machine_load();

  // The share of these processors' time that others have had since then, from 0 to 1. Nothing where
  // the system doesn't tell (it does on Linux: /proc/stat), or after less than half a second, since
  // its clock ticks a hundred times a second.
  [[nodiscard]] std::optional<double> of_others() const;

 private:
  std::vector<int> cpus_;
  std::uint64_t begin_ns_ = 0;
  std::optional<double> busy_, own_;  // seconds
};

// A sentence if others had more than a tenth; else "".
[[nodiscard]] inline std::string words_about(std::optional<double> of_others) {
  constexpr double least_share = 0.1;
  if (!of_others || *of_others < least_share) return "";
  return "others had " + std::to_string(static_cast<int>(100 * *of_others)) +
         " % of the processors' time meanwhile: measure again when they are free";
}

}  // namespace heist::inline v0::platform
