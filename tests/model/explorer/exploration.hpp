// The common parts of the explorations: their limits, and what they print.
//
//   HEIST_EXPLORER_STEPS   additional steps of the owner in each plan; 0 by default
//   HEIST_EXPLORER_STATES  how many states an exploration may find before it gives up; 20
//                          million by default. Eight million took 0.7 GB
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/model/explorer/explorer.hpp"
#include "tests/model/explorer/seam.hpp"

namespace heist_explorer {

inline unsigned long setting(const char* name, unsigned long usual) {
  const char* const wanted = std::getenv(name);
  return wanted == nullptr ? usual : std::strtoul(wanted, nullptr, 10);
}

inline unsigned more_steps() { return static_cast<unsigned>(setting("HEIST_EXPLORER_STEPS", 0)); }

// A step of a protocol that is changed or left out, and the expected result.
struct weakened {
  const char* name;
  change what;
  const char* plan;
  const char* violation;
};

// For GoogleTest.
inline void PrintTo(const weakened& w, std::ostream* out) { *out << w.plan; }

template <class Model, class Plan>
result explore(const Plan& plan, change what) {
  running_change = what;
  Model model(plan);
  const result r = explorer(model).run(setting("HEIST_EXPLORER_STATES", 20'000'000));
  running_change = change::none;
  std::cout << r.summary() << '\n';
  return r;
}

template <class Model, class Plan>
void expect_sound(const Plan& plan) {
  const result r = explore<Model>(plan, change::none);
  testing::Test::RecordProperty("states", std::to_string(r.states));
  EXPECT_TRUE(r.sound()) << r.told();
}

// Another test shows that the same plan is sound with the machine's usual atomics.
template <class Model, class Plan>
void expect_violation(const Plan& plan, const weakened& w) {
  const result r = explore<Model>(plan, w.what);
  testing::Test::RecordProperty("states", std::to_string(r.states));
  EXPECT_EQ(r.violation, w.violation) << r.told();
}

}  // namespace heist_explorer
