// The tests of stopping share these: a condition that becomes true after a number of questions, and
// the outcome of a call.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <random>

#include "heist/cancellation.hpp"
#include "tests/unit/parallel/support.hpp"

namespace heist_test {

// Requests a stop from the n-th question on, so that a test can stop at every place where the
// condition is asked, without a clock.
class after_questions {
 public:
  explicit after_questions(long n) noexcept : left_(n) {}
  [[nodiscard]] bool stop_requested() const noexcept {
    if (left_.load(std::memory_order_relaxed) <= 0) return true;
    return left_.fetch_sub(1, std::memory_order_relaxed) <= 1;
  }

 private:
  mutable std::atomic<long> left_;
};

struct counts {
  std::uint64_t done;
  std::uint64_t total;
  friend bool operator==(const counts&, const counts&) = default;
};

// What the call reported when it was stopped; nothing if it was not.
template <class F>
std::optional<counts> told_by(F&& f) {
  try {
    f();
  } catch (const heist::cancelled& c) {
    return counts{c.done(), c.total()};
  }
  return std::nullopt;
}

// The numbers of questions at which to stop: the first ones, and random ones.
inline std::vector<long> moments() {
  static const unsigned seed = std::random_device{}();
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<long> result{1, 2, 3, 4, 1L << 40};
  for (int i = 0; i < scaled(12); ++i)
    result.push_back(1 + static_cast<long>(random() % (1U << (random() % 12))));
  return result;
}

}  // namespace heist_test
