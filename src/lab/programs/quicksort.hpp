// Quicksort of random numbers. The run really sorts them, so that the data give the spawn tree its
// shape. Partitioning n numbers takes n steps; so does sorting a few by insertion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lab/model/program.hpp"
#include "lab/model/random.hpp"

namespace heist::lab {

class quicksort_program {
 public:
  struct frame {
    std::uint32_t begin, end, middle, at;
  };

  quicksort_program(std::uint32_t count, std::uint64_t seed) : count_(count), seed_(seed) {}

  [[nodiscard]] const std::vector<std::uint32_t>& numbers() const { return numbers_; }

  [[nodiscard]] frame root() {
    rng random(seed_);
    numbers_.resize(count_);
    for (auto& each : numbers_) each = static_cast<std::uint32_t>(random.next());
    return {0, count_, 0, 0};
  }
  [[nodiscard]] std::uint64_t weight(const frame& f) const {
    return f.at == 0 ? std::max<std::uint64_t>(1, f.end - f.begin) : 1;
  }
  [[nodiscard]] std::uint64_t hint(const frame& f) const { return f.end - f.begin; }
  [[nodiscard]] bool waits_next(const frame& f) const { return f.at == 3; }
  [[nodiscard]] place_among place(const frame&) const { return {}; }

  action execute(frame& f, frame& child) {
    using enum action::next;
    switch (f.at++) {
      case 0:
        if (f.end - f.begin <= few) {
          std::sort(at(f.begin), at(f.end));
          return {false, ends};
        }
        f.middle = partition(f.begin, f.end);
        return {false, goes_on};
      case 1:
        child = {f.begin, f.middle, 0, 0};
        return {true, goes_on};
      case 2:
        child = {f.middle + 1, f.end, 0, 0};
        return {true, goes_on};
      case 3:
        return {false, waits};
      default:
        return {false, ends};
    }
  }

 private:
  static constexpr std::uint32_t few = 16;

  [[nodiscard]] std::vector<std::uint32_t>::iterator at(std::uint32_t i) {
    return numbers_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  // The pivot's place. It is the median of the first, the middle and the last.
  std::uint32_t partition(std::uint32_t begin, std::uint32_t end) {
    const auto middle = begin + (end - begin) / 2;
    const auto a = numbers_[begin], b = numbers_[middle], c = numbers_[end - 1];
    const auto median = std::max(std::min(a, b), std::min(std::max(a, b), c));
    std::iter_swap(at(end - 1), at(median == a ? begin : median == b ? middle : end - 1));
    const auto place =
        std::partition(at(begin), at(end - 1), [median](std::uint32_t x) { return x < median; });
    std::iter_swap(place, at(end - 1));
    return static_cast<std::uint32_t>(place - numbers_.begin());
  }

  std::uint32_t count_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace heist::lab
