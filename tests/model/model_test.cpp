// Every model is sound in every schedule that is searched.
//
// For longer searches: HEIST_MODEL_SCHEDULES is how many schedules a random search runs (10^6 if it
// isn't set), HEIST_MODEL_SWITCHES how many more switches than usual a bounded search allows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

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

TEST_P(Model, IsSound) {
  plan p = GetParam().usual;
  p.schedules = setting("HEIST_MODEL_SCHEDULES", 1'000'000);
  p.switches += static_cast<unsigned>(setting("HEIST_MODEL_SWITCHES", 0));
  const outcome o = GetParam().run(p);
  RecordProperty("schedules", std::to_string(o.schedules));
  std::cout << o.schedules << " schedules\n";
  EXPECT_TRUE(o.sound) << o.how << " in schedule " << o.schedules << '\n' << o.history;
}

INSTANTIATE_TEST_SUITE_P(All, Model, testing::ValuesIn(all_models()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace heist_model
