// The models can fail: each weakening of the protocols fails the model that docs/memory_model.md names
// for it, or no model at all where that says "none" and why.
//
// The document's tables have a row for each mutant: | `name` | model or none | reason |. A mutant
// without a row is tried on all models, and the test says what the row would be.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string_view>

#include "tests/model/model.hpp"
#include "tests/model/mutation.hpp"

namespace heist_model {
namespace {

constexpr std::uint64_t schedules_to_record = 20'000;
constexpr std::uint64_t schedules_to_kill = 50'000;

// What the seam and the sleep models can change besides orders.
const std::pair<const char*, change> step_changes[] = {
    {"tag not compared", change::tag_not_compared},
    {"pop tests split", change::split_for_bound},
    {"no second look", change::no_second_look},
    {"no heavy barrier", change::no_heavy_barrier},
    {"request before count", change::request_before_count},
    {"count after barrier", change::count_after_barrier},
    {"look at the public part only", change::public_look_only},
    {"no fence to wake", change::no_fence_to_wake},
    {"no fence at the end", change::no_fence_at_end},
    {"no second request", change::no_second_request},
    {"no look at the mail", change::no_mail_look},
    {"no wake passed on", change::no_wake_passed_on},
};

std::vector<mutant> all_mutants(const std::vector<model>& models) {
  start_recording();
  for (const model& m : models) m.run({search::random, 0, schedules_to_record});
  std::vector<mutant> all;
  for (const char* const file : {"split.hpp", "sleepers.hpp", "sleep_suite.hpp"})
    for (mutant& m : mutants_of(stop_recording(file))) all.push_back(m);
  for (const auto& [name, what] : step_changes) all.push_back({name, what, {}});
  return all;
}

// The tables' rows: from a mutant's name to what kills it.
std::map<std::string, std::string> documented() {
  std::ifstream file(HEIST_MODEL_TABLE);
  std::map<std::string, std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::size_t end = line.find("` | ");
    const std::size_t next = line.find(" | ", end + 4);
    if (end == std::string::npos || next == std::string::npos) continue;
    rows[line.substr(3, end - 3)] = line.substr(end + 4, next - end - 4);
  }
  return rows;
}

// The deque's operations say something about sleeping where a push meets a sleeper's look.
bool concerns(const mutant& m, const model& one) {
  const std::string_view file = m.where.file;
  const std::string_view function = m.where.function;
  const bool sleeps = one.name.starts_with("sleep");
  if (m.what >= change::request_before_count) return sleeps;
  if (file.empty()) return true;
  if (!file.ends_with("split.hpp") || function == "has_work") return sleeps;
  return !sleeps || function == "publish";
}

outcome try_on(const model& one, const mutant& m) {
  running_mutant = m;
  const outcome o = one.run({one.usual.how, one.usual.switches, schedules_to_kill});
  running_mutant = {};
  return o;
}

// The name of the first model that fails; "none".
std::string killer(const std::vector<model>& models, const mutant& m) {
  for (const model& one : models)
    if (concerns(m, one) && !try_on(one, m).sound) return one.name;
  return "none";
}

// Two tests, so that they can run side by side: of the mutants that the deque's models are for, and of
// the others.
void compare_with_document(bool of_the_deque) {
  const std::vector<model> models = all_models();
  std::map<std::string, std::string> rows = documented();
  for (const mutant& m : all_mutants(models)) {
    const std::string expected = rows[m.name];
    rows.erase(m.name);
    if (concerns(m, models.front()) != of_the_deque) continue;
    const auto named = std::find_if(models.begin(), models.end(),
                                    [&](const model& one) { return one.name == expected; });
    if (named != models.end())
      EXPECT_FALSE(try_on(*named, m).sound) << m.name << " survives " << expected;
    else
      EXPECT_EQ(expected, killer(models, m)) << "| `" << m.name << "` |";
  }
  for (const auto& [name, model] : rows) ADD_FAILURE() << "no such mutant: " << name;
}

TEST(Mutants, OfTheDequeAreKilledAsDocumented) { compare_with_document(true); }
TEST(Mutants, OfSleepingAreKilledAsDocumented) { compare_with_document(false); }

}  // namespace
}  // namespace heist_model
