// Each program gives its verdict, and the two lines of a race.
#include <gtest/gtest.h>

#include <string>

#include "heist/detail/race.hpp"
#include "tests/race/programs.hpp"

namespace heist_test {
namespace {

class Verdicts : public testing::TestWithParam<std::size_t> {};

TEST_P(Verdicts, AreThoseOfTheProgram) {
  const race_program& p = race_programs()[GetParam()];
  const std::string file = std::string(p.file).substr(std::string(p.file).rfind('/') + 1);
  const auto place = [&](int lines) { return file + ":" + std::to_string(p.line + lines); };
  const std::uint64_t before = heist_v0_race_count();
  p.run();
  std::string found;
  for (std::uint64_t i = before; i < heist_v0_race_count(); ++i)
    found += std::string(heist_v0_race_lines(i)) + "\n";
  if (!p.expected.is_racy()) {
    EXPECT_EQ(found, "") << p.name;
    return;
  }
  const std::string expected = place(p.expected.earlier) + " " + place(p.expected.later) + "\n";
  EXPECT_NE(found.find(expected), std::string::npos)
      << p.name << ": expected " << expected << "and found " << found;
}

INSTANTIATE_TEST_SUITE_P(Of, Verdicts, testing::Range(std::size_t{0}, race_programs().size()),
                         [](const auto& of) {
                           std::string name = race_programs()[of.param].name;
                           for (char& c : name)
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           return name;
                         });

TEST(VerdictTable, HasAtLeastSixtyPrograms) { EXPECT_GE(race_programs().size(), 60U); }

}  // namespace
}  // namespace heist_test
