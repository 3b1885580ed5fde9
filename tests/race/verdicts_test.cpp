// Each program gives its verdict, and the two lines of a race.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "heist/detail/race.hpp"
#include "tests/race/programs.hpp"
#include "tests/race/random_program.hpp"

namespace heist_test {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines{""};  // from 1
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string file_of(const race_program& p) {
  const std::string path = p.file;
  return path.substr(path.rfind('/') + 1);
}

// The line with that comment: from the program's first line to the next program, or else before it.
int line_with(const std::string& comment, const race_program& p) {
  const std::vector<std::string> lines = lines_of(HEIST_PROGRAMS + file_of(p));
  const auto has = [&](std::size_t i) {
    return lines[i].find(comment, lines[i].find("//")) != std::string::npos;
  };
  const auto first = static_cast<std::size_t>(p.line);
  for (std::size_t i = first + 1; i < lines.size() && !lines[i].starts_with("PROGRAM("); ++i)
    if (has(i)) return static_cast<int>(i);
  for (std::size_t i = first; i != 0; --i)
    if (has(i)) return static_cast<int>(i);
  return 0;
}

class Verdicts : public testing::TestWithParam<std::size_t> {};

TEST_P(Verdicts, AreThoseOfTheProgram) {
  const race_program& p = race_programs()[GetParam()];
  const std::uint64_t before = heist_v0_race_count();
  p.run();
  std::string found;
  for (std::uint64_t i = before; i < heist_v0_race_count(); ++i)
    found += std::string(heist_v0_race_lines(i)) + "\n";
  if (p.expected == verdict::clean) {
    EXPECT_EQ(found, "") << p.name;
    return;
  }
  const std::string file = file_of(p) + ":";
  const std::string expected = file + std::to_string(line_with("(1)", p)) + " " + file +
                               std::to_string(line_with("(2)", p)) + "\n";
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

// ---- Random programs: the verdict beside that of brute force.

void compare(bool locks, bool messages, std::uint64_t programs) {
  alignas(16) static unsigned char memory[bytes_each];
  std::uint64_t racy = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    heist_v0_race_fresh(memory, sizeof(memory));
    random_program p(seed, locks, messages, memory);
    p.run(3);
    ASSERT_EQ(p.has_found(), p.has_race()) << "the program of seed " << seed;
    racy += p.has_race() ? 1 : 0;
  }
  // Both verdicts, often.
  EXPECT_GT(racy, programs / 20);
  EXPECT_LT(racy, programs - programs / 20);
}

TEST(RandomPrograms, HaveTheVerdictOfBruteForce) { compare(false, false, 100'000); }
TEST(RandomPrograms, WithLocksHaveTheVerdictOfBruteForce) { compare(true, false, 100'000); }
TEST(RandomPrograms, WithMessagesHaveTheVerdictOfBruteForce) { compare(false, true, 100'000); }
TEST(RandomPrograms, WithLocksAndMessagesHaveTheVerdictOfBruteForce) {
  compare(true, true, 100'000);
}

}  // namespace
}  // namespace heist_test
