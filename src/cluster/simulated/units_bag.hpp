// A number of independent items that take the same time: the work of most models of stealing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "heist/cluster/bag.hpp"

namespace heist::inline v0::cluster::simulated {

struct units_bag {
  std::uint64_t left = 0, done = 0;

  std::uint64_t process(std::uint64_t most) {
    const auto processed = std::min(most, left);
    left -= processed;
    done += processed;
    return processed;
  }
  [[nodiscard]] bool is_empty() const { return left == 0; }
  std::optional<units_bag> split() {
    if (left < 2) return {};
    const units_bag other{left / 2, 0};
    left -= other.left;
    return other;
  }
  void merge(const units_bag& other) {
    left += other.left;
    done += other.done;
  }
};

}  // namespace heist::inline v0::cluster::simulated
