// The tests of loops and algorithms share these: pools of several sizes, and elements that throw on
// demand.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <compare>
#include <memory>
#include <vector>

#include "heist/heist.hpp"
#include "tests/unit/runtime/support.hpp"

namespace heist_test {

// The pools have 1, 2, 3, 8 and 32 workers and are made at their first use.
inline const std::vector<std::unique_ptr<heist::pool>>& pools() {
  static const auto made = [] {
    std::vector<std::unique_ptr<heist::pool>> result;
    for (const unsigned workers : {1U, 2U, 3U, 8U, 32U})
      result.push_back(std::make_unique<heist::pool>(heist::pool_config{.workers = workers}));
    return result;
  }();
  return made;
}

struct injected_fault {};

// Throws at the k-th counted operation, and counts the operations.
class fault_plan {
 public:
  static void arm(long at) noexcept {
    left_.store(at, std::memory_order_relaxed);
    fired_.store(false, std::memory_order_relaxed);
  }
  static void disarm() noexcept { arm(0); }
  static void step() {
    if (left_.load(std::memory_order_relaxed) <= 0) return;
    if (left_.fetch_sub(1, std::memory_order_relaxed) != 1) return;
    fired_.store(true, std::memory_order_relaxed);
    throw injected_fault{};
  }
  [[nodiscard]] static bool fired() noexcept { return fired_.load(std::memory_order_relaxed); }

 private:
  static inline std::atomic<long> left_{0};
  static inline std::atomic<bool> fired_{false};
};

// A number whose copies, moves and comparisons throw as planned, and whose objects are counted.
class fragile {
 public:
  fragile(int value = 0) : value_(step(value)) { count(1); }
  fragile(const fragile& other) : value_(step(other.value_)) { count(1); }
  fragile(fragile&& other) noexcept(false) : value_(step(other.value_)) { count(1); }
  fragile& operator=(const fragile& other) {
    value_ = step(other.value_);
    return *this;
  }
  fragile& operator=(fragile&& other) noexcept(false) {
    value_ = step(other.value_);
    return *this;
  }
  ~fragile() { count(-1); }

  [[nodiscard]] int value() const noexcept { return value_; }
  friend bool operator==(const fragile& a, const fragile& b) { return step(a.value_) == b.value_; }
  friend bool operator<(const fragile& a, const fragile& b) { return step(a.value_) < b.value_; }
  friend fragile operator+(const fragile& a, const fragile& b) { return {a.value_ + b.value_}; }

  static inline std::atomic<long> alive{0};

 private:
  static int step(int value) {
    fault_plan::step();
    return value;
  }
  static void count(long change) noexcept { alive.fetch_add(change, std::memory_order_relaxed); }

  int value_;
};

// Runs `attempt` with a fault at every operation, or every step-th one, in turn, until an attempt
// meets no fault. Only the fault itself may be thrown, and afterwards as many fragile objects must
// exist as before.
template <class Attempt>
void expect_survives_every_fault(Attempt&& attempt, long rounds = 2000, long step = 1) {
  for (long at = 1; at <= rounds * step; at += step) {
    const long alive = fragile::alive.load();
    bool thrown = false;
    try {
      attempt([at] { fault_plan::arm(at); });
    } catch (const injected_fault&) {
      thrown = true;
    }
    const bool fired = fault_plan::fired();
    fault_plan::disarm();
    ASSERT_EQ(thrown, fired) << "at operation " << at;
    ASSERT_EQ(fragile::alive.load(), alive) << "at operation " << at;
    if (!fired) return;
  }
  ADD_FAILURE() << "more operations than " << rounds * step;
}

}  // namespace heist_test
