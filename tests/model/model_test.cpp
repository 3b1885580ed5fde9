// Every model is sound in every schedule that is searched.
//
// For longer searches, HEIST_MODEL_SCHEDULES is the number of schedules of a random search (50,000
// by default; if it is set, the bounded models are searched at random too), and
// HEIST_MODEL_SWITCHES is how many switches more than usual a bounded search allows. Each search is
// printed as a row for docs/memory_model.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <string>

#include "tests/model/model.hpp"

namespace heist_model {

// For GoogleTest.
void PrintTo(const model& m, std::ostream* out);
void PrintTo(const model& m, std::ostream* out) { *out << m.name; }

namespace {

std::uint64_t setting(const char* name, std::uint64_t usual) {
  const char* const wanted = std::getenv(name);
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

class Model : public testing::TestWithParam<model> {};

std::string told(const plan& p) {
  switch (p.how) {
    case search::exhaustive:
      return "all";
    case search::bounded:
      return "switches: " + std::to_string(p.switches);
    case search::random:
      break;
  }
  return "random";
}

void expect_sound(const model& m, const plan& p) {
  const std::clock_t start = std::clock();
  const outcome o = m.run(p);
  const auto seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(o.sound) << o.how << " in schedule " << o.schedules << '\n' << o.history;
  std::cout << "| " << m.name << " | " << m.threads << " | " << m.capacity << " | " << told(p)
            << " | " << o.schedules << " | " << std::fixed << std::setprecision(1) << seconds
            << " |\n";
}

TEST_P(Model, IsSound) {
  const model& m = GetParam();
  plan p = m.usual;
  p.schedules = setting("HEIST_MODEL_SCHEDULES", 50'000);
  p.switches += static_cast<unsigned>(setting("HEIST_MODEL_SWITCHES", 0));
  expect_sound(m, p);
  if (p.how == search::bounded && std::getenv("HEIST_MODEL_SCHEDULES") != nullptr)
    expect_sound(m, {search::random, 0, p.schedules});
}

INSTANTIATE_TEST_SUITE_P(All, Model, testing::ValuesIn(all_models()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace heist_model
