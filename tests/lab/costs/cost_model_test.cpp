// Files with costs: good ones, and whatever else comes as one.
#include "lab/engines/cost_model.hpp"

#include <gmock/gmock.h>

#include <random>

#include <heist/error.hpp>

#include "lab/catalog/computation.hpp"
#include "lab/engines/timed_run.hpp"

using heist::lab::cost_model;
using heist::lab::costs_from_file;
using heist::lab::costs_from_json;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

const std::string folder = HEIST_COSTS_FOLDER;

std::string with(const std::string& costs, const std::string& rest = "") {
  return R"({"format": "heist costs 1", "costs": {)" + costs + "}" + rest + "}";
}
const std::string required =
    R"("fork_ns": 1, "steal_ns": 2, "failed_attempt_ns": 3, "suspend_ns": 4, "wake_ns": 5)";

// One line that begins with the file's name.
std::string complaint(const std::string& text) {
  try {
    static_cast<void>(costs_from_json(text, "c.json"));
  } catch (const heist::usage_error& error) {
    EXPECT_THAT(error.what(), StartsWith("c.json:"));
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST(CostModel, ReadsNumbersAndMedians) {
  const auto costs = costs_from_file(folder + "/example.json");
  EXPECT_EQ(costs.instruction_ns, 1);
  EXPECT_EQ(costs.fork_ns, 3);
  EXPECT_EQ(costs.steal_ns, 200);
  EXPECT_EQ(costs.quiet_steal_ns, 20000);
  EXPECT_EQ(costs.awake_ns, 100000);
  EXPECT_EQ(costs.busy_factor, 1.1);
  EXPECT_TRUE(costs.distances.empty());
}

TEST(CostModel, ReadsQuartilesWhereThereAreSome) {
  const std::string text = with(
      R"("fork_ns": 1, "steal_ns": {"median": 20, "lower_quartile": 15, "upper_quartile": 40},
         "failed_attempt_ns": {"median": 3}, "suspend_ns": 4, "wake_ns": 5)",
      R"(, "distances": [{"processors": 4, "failed_attempt_ns": 2,
                          "steal_ns": {"median": 9, "upper_quartile": 10}}])");
  const auto low = costs_from_json(text, "c.json", heist::lab::lower_quartile);
  EXPECT_EQ(low.steal_ns, 15);
  EXPECT_EQ(low.failed_attempt_ns, 3);
  EXPECT_EQ(low.distances[0].steal_ns, 9);
  const auto high = costs_from_json(text, "c.json", heist::lab::upper_quartile);
  EXPECT_EQ(high.steal_ns, 40);
  EXPECT_EQ(high.quiet_steal_ns, 40);
  EXPECT_EQ(high.fork_ns, 1);
  EXPECT_EQ(high.distances[0].steal_ns, 10);
  EXPECT_EQ(costs_from_json(text, "c.json").steal_ns, 20);
}

TEST(CostModel, WhatIsNotGivenHasAMeaning) {
  const auto costs = costs_from_json(with(required), "c.json");
  EXPECT_EQ(costs.quiet_steal_ns, costs.steal_ns);
  EXPECT_EQ(costs.instruction_ns, 1);
  EXPECT_EQ(costs.busy_factor, 1);
  EXPECT_EQ(costs.waking_ns, 0);
  EXPECT_EQ(costs.awake_ns, std::nullopt);
}

TEST(CostModel, ReadsDistances) {
  const auto costs = costs_from_json(with(required, R"(, "distances": [
        {"name": "cache", "processors": 4, "steal_ns": 1, "failed_attempt_ns": 2},
        {"processors": 64, "steal_ns": {"median": 10}, "failed_attempt_ns": 20}])"),
                                     "c.json");
  ASSERT_EQ(costs.distances.size(), 2u);
  EXPECT_EQ(costs.distances[1].processors, 64u);
  EXPECT_EQ(costs.distances[1].steal_ns, 10);
}

TEST(CostModel, HasTheDoubtsOfTheFile) {
  const auto costs = costs_from_json(with(required, R"(, "doubts": ["a\nb", "c"])"), "c.json");
  EXPECT_EQ(costs.doubts, (std::vector<std::string>{"a?b", "c"}));
  EXPECT_THAT(complaint(with(required, R"(, "doubts": [1])")), HasSubstr("doubts[0] is a text"));
}

TEST(CostModel, NamesTheFieldThatIsWrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "the whole is an object, not []"},
      {"{}", "the field 'format' is missing"},
      {R"({"format": "heist costs 2", "costs": {}})",
       R"(format is 'heist costs 1', not "heist costs 2")"},
      {R"({"format": 1, "costs": {}})", "format is 'heist costs 1', not 1"},
      {R"({"format": "heist costs 1"})", "the field 'costs' is missing"},
      {R"({"format": "heist costs 1", "costs": 3})", "costs is an object, not 3"},
      {with(""), "the field 'costs.fork_ns' is missing"},
      {with(R"("fork_ns": 1, "steal_ns": 2)"), "the field 'costs.failed_attempt_ns' is missing"},
      {with(required + R"(, "stael_ns": 1)"), "unknown field 'costs.stael_ns'"},
      {with(required, R"(, "x": 1)"), "unknown field 'x'"},
      {with(required + R"(, "waking_ns": -1)"),
       "costs.waking_ns is a number from 0 to 1e+09, not -1"},
      {with(required + R"(, "waking_ns": 1e10)"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": "1")"),
       R"(costs.waking_ns is a number from 0 to 1e+09, not "1")"},
      {with(required + R"(, "waking_ns": null)"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": true)"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": [])"), "costs.waking_ns is a number"},
      {with(required + R"(, "waking_ns": {"median": 3, "upper_quartile": -1})"),
       "costs.waking_ns.upper_quartile is a number"},
      {with(required + R"(, "waking_ns": {})"), "the field 'costs.waking_ns.median' is missing"},
      {with(required + R"(, "waking_ns": {"median": -3})"), "costs.waking_ns.median is a number"},
      {with(required + R"(, "instruction_ns": 0)"), "costs.instruction_ns is a number from 0.001"},
      {with(required + R"(, "busy_factor": 1e9)"),
       "costs.busy_factor is a number from 0.1 to 1000"},
      {with(
           R"("fork_ns": 1, "steal_ns": 2, "failed_attempt_ns": 0, "suspend_ns": 4, "wake_ns": 5)"),
       "costs.failed_attempt_ns is a number from 1"},
      {with(required + R"(, "fork_ns": 2)"), "field 'fork_ns' stands twice"},
      {with(required, R"(, "distances": [])"), "distances is an array of 1 to 16 objects"},
      {with(required, R"(, "distances": [3])"), "distances[0] is an object, not 3"},
      {with(required, R"(, "distances": [{"processors": 2}])"),
       "'distances[0].steal_ns' is missing"},
      {with(required,
            R"(, "distances": [{"processors": 2.5, "steal_ns": 1, "failed_attempt_ns": 1}])"),
       "distances[0].processors is a whole number"},
      {with(required, R"(, "distances": [{"processors": 4, "steal_ns": 1, "failed_attempt_ns": 1},
                                          {"processors": 4, "steal_ns": 1, "failed_attempt_ns": 1}])"),
       "distances[1].processors is more than that of the one before, not 4"}};
  for (const auto& [text, part] : cases) EXPECT_THAT(complaint(text), HasSubstr(part)) << text;
}

TEST(CostModel, NamesThePlaceOfWhatIsNoJson) {
  EXPECT_THAT(complaint(""), StartsWith("c.json:1:1: not JSON"));
  EXPECT_THAT(complaint("{\n  \"format\": oops}"), StartsWith("c.json:2:1"));
  EXPECT_THAT(complaint("{\"format\": \"heist costs 1\""), HasSubstr("not JSON"));
  EXPECT_THAT(complaint("{\"a\": 1e999}"), HasSubstr("c.json"));
  EXPECT_THAT(complaint(std::string("{\"a\": \"\0\"}", 10)), HasSubstr("not JSON"));
  EXPECT_THAT(complaint("{\"a\": \"\xff\"}"), HasSubstr("not JSON"));
  EXPECT_THAT(complaint(with(required) + "{}"), HasSubstr("not JSON"));
}

TEST(CostModel, RefusesWhatIsTooLargeOrTooDeep) {
  EXPECT_THAT(complaint(std::string(heist::lab::max_cost_file + 1, ' ')),
              HasSubstr("at most 1048576 bytes"));
  std::string deep = R"({"machine": )";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  EXPECT_THAT(complaint(deep), HasSubstr("in each other"));
}

TEST(CostModel, AFileThatIsNotThereIsNamed) {
  try {
    static_cast<void>(costs_from_file("/no/such.json"));
    FAIL();
  } catch (const heist::resource_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot read /no/such.json"));
  }
  EXPECT_THROW(static_cast<void>(costs_from_file("/")), heist::resource_error);
}

// Whatever a byte becomes, the file is read or refused.
TEST(CostModel, ChangedBytesDoNoHarm) {
  const std::string good = with(
      required, R"(, "distances": [{"processors": 4, "steal_ns": 1, "failed_attempt_ns": 2}])");
  std::mt19937 random(1);  // NOLINT: the same bytes each time
  std::uint64_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto text = good;
    for (int changes = 0; changes < 3; ++changes)
      text[random() % text.size()] = static_cast<char>(random());
    try {
      const auto costs = costs_from_json(text, "c.json");
      EXPECT_GE(costs.failed_attempt_ns, 1);
      EXPECT_LE(costs.steal_ns, cost_model::max_ns);
    } catch (const heist::usage_error& error) {
      EXPECT_THAT(error.what(), StartsWith("c.json"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 10'000u);
}

// ---- Runs with costs: small ones by hand, and what holds for all.

using heist::lab::make_computation;
using heist::lab::timed_result;
using heist::lab::timed_settings;

namespace {

timed_result run(const char* dag, std::uint32_t processors, const cost_model& costs,
                 std::uint64_t seed = 1) {
  timed_settings settings;
  settings.processors = processors;
  settings.seed = seed;
  settings.costs = costs;
  return make_computation(dag)->run_timed(settings);
}

constexpr std::uint64_t ns = 1000;  // picoseconds

cost_model some_costs() {
  cost_model costs;
  costs.instruction_ns = 2;
  costs.fork_ns = 3;
  costs.steal_ns = costs.quiet_steal_ns = 100;
  costs.failed_attempt_ns = 10;
  costs.suspend_ns = 40;
  costs.wake_ns = 1000;
  costs.waking_ns = 500;
  return costs;
}

}  // namespace

TEST(TimedRun, AChainTakesItsInstructions) {
  const auto result = run("chain:10", 1, some_costs());
  EXPECT_EQ(result.time_ps, 20 * ns);
  EXPECT_EQ(result.work_ps, 20 * ns);
  EXPECT_EQ(result.overhead_ps, 0u);
  EXPECT_EQ(result.forks, 0u);
}

// A root that spawns three leaves of 5 units: 3 spawns, the wait and the end are 5 units; 20 in
// all. The last child is a call, so there are two forks.
TEST(TimedRun, OneProcessorPaysForForksAndNothingElse) {
  const auto result = run("tree:3,1,5", 1, some_costs());
  EXPECT_EQ(result.work_ps, 20 * 2 * ns);
  EXPECT_EQ(result.forks, 2u);
  EXPECT_EQ(result.time_ps, (20 * 2 + 2 * 3) * ns);
  EXPECT_EQ(result.steals, 0u);
  EXPECT_EQ(result.asleep_ps, 0u);
}

// fib(n) has fib(n + 1) - 1 calls that fork, once each: here 2583.
TEST(TimedRun, ForksAreThoseOfTheProgram) {
  const auto computation = make_computation("fib:17");
  const auto work = computation->measure().work;
  const auto result = run("fib:17", 1, some_costs());
  EXPECT_EQ(result.forks, 2583u);
  EXPECT_EQ(result.time_ps, (work * 2 + 2583 * 3) * ns);
}

// The root spawns a leaf at 2 ns and forks, which wakes the other processor: 503 ns. The leaf of
// 1000 units ends at 2505. The thief wakes at 2 + (1000 - 100) = 902 and asks; the victim executes
// a long instruction, and answers after quiet_steal_ns - steal_ns = 50. The root's rest begins at
// 952 + 100, spawns the second leaf and waits: 4 ns. That leaf ends at 1056 + 2000 = 3056. The
// first one ends at 2505 while the second one runs: its processor suspends the join. The second one
// ends last and resumes the root: 40 ns, and the root's last instruction.
TEST(TimedRun, AStealByHand) {
  auto costs = some_costs();
  costs.quiet_steal_ns = 150;
  const auto result = run("tree:2,1,1000", 2, costs);
  EXPECT_EQ(result.time_ps, (3056 + 40 + 2) * ns);
  EXPECT_EQ(result.work_ps, 2004 * 2 * ns);
  EXPECT_EQ(result.forks, 1u);
  EXPECT_EQ(result.steals, 1u);
  EXPECT_EQ(result.wakes, 1u);
  EXPECT_EQ(result.suspensions, 1u);
  EXPECT_EQ(result.asleep_ps, 2 * ns);
  EXPECT_EQ(result.overhead_ps, (3 + 500 + 100 + 40 + 40) * ns);
}

// The same, where the second leaf is over first: nothing is suspended.
TEST(TimedRun, AJoinThatComesLastDoesNotWait) {
  const auto result = run("wide:2,10000,10", 2, some_costs());
  EXPECT_EQ(result.steals, 1u);
  EXPECT_EQ(result.suspensions, 0u);
  EXPECT_EQ(result.time_ps, (2 + 503 + 20'000 + 2) * ns);
}

TEST(TimedRun, BusyProcessorsAreSlower) {
  auto costs = some_costs();
  const auto alone = run("tree:2,10,1000", 2, costs);
  costs.busy_factor = 1.5;
  const auto busy = run("tree:2,10,1000", 2, costs);
  EXPECT_GT(busy.time_ps, alone.time_ps * 14 / 10);
  EXPECT_LE(busy.time_ps, alone.time_ps * 15 / 10 + 2000 * ns);
  EXPECT_EQ(run("tree:2,10,1000", 1, costs).time_ps,
            run("tree:2,10,1000", 1, some_costs()).time_ps);
}

TEST(TimedRun, TheSameSeedGivesTheSameRun) {
  for (const auto* dag : {"fib:16", "quicksort:3000,2", "random:2000,3", "random-general:500,1"}) {
    EXPECT_EQ(run(dag, 7, some_costs(), 5), run(dag, 7, some_costs(), 5)) << dag;
  }
  EXPECT_NE(run("fib:16", 7, some_costs(), 5), run("fib:16", 7, some_costs(), 6));
}

// Every unit of work is executed once; no processor's time is counted twice; no run beats T1/P and
// Tinf.
TEST(TimedRun, TimesAddUpOnEveryComputation) {
  auto costs = some_costs();
  costs.awake_ns = 300;  // thieves fall asleep and are woken all the time
  for (const auto* dag : {"figure1", "fib:14", "tree:3,5,7", "matmul:32,4", "quicksort:2000,1",
                          "loops:20,30,5", "wide:100,30,900", "pipeline:30,5", "random:3000,1",
                          "random-strict:1000,2", "random-general:1000,3", "chain:50"}) {
    for (const std::uint32_t processors : {1u, 2u, 3u, 16u, 100u}) {
      const auto computation = make_computation(dag);
      const auto of = computation->measure();
      timed_settings settings;
      settings.processors = processors;
      settings.costs = costs;
      const auto result = computation->run_timed(settings);
      EXPECT_EQ(result.work_ps, of.work * 2 * ns) << dag << ' ' << processors;
      EXPECT_EQ(result.instructions, of.instructions) << dag;
      EXPECT_LE(result.work_ps + result.overhead_ps + result.asleep_ps, result.time_ps * processors)
          << dag << ' ' << processors;
      EXPECT_GE(result.time_ps * processors, result.work_ps) << dag;
      EXPECT_GE(result.time_ps, of.span * 2 * ns) << dag << ' ' << processors;
      EXPECT_LE(result.steals, result.attempts) << dag;
    }
  }
}

// With no cost but the instructions' own it is the model again: about T1/P + Tinf.
TEST(TimedRun, WithoutCostsItIsTheModel) {
  cost_model free;
  free.failed_attempt_ns = 1;
  const auto computation = make_computation("fib:20");
  const auto of = computation->measure();
  timed_settings settings;
  settings.costs = free;
  for (const std::uint32_t processors : {2u, 8u, 32u}) {
    settings.processors = processors;
    const double bound =
        static_cast<double>(of.work) / processors + 4.0 * static_cast<double>(of.span);
    EXPECT_LE(computation->run_timed(settings).seconds() * 1e9, bound) << processors;
  }
}

TEST(TimedRun, NearStealsCostLess) {
  auto costs = some_costs();
  costs.distances = {{2, 100, 10}, {64, 5000, 400}};
  const auto near = run("fib:15", 2, costs);
  EXPECT_EQ(near, run("fib:15", 2, some_costs()));
  const auto far = run("fib:15", 8, costs);
  EXPECT_GT(far.time_ps, run("fib:15", 8, some_costs()).time_ps);
}

TEST(TimedRun, RefusesWhatCannotBeRun) {
  EXPECT_THROW(static_cast<void>(run("fib:5", 0, some_costs())), heist::usage_error);
  EXPECT_THROW(static_cast<void>(run("fib:5", 65'537, some_costs())), heist::usage_error);
  auto slow = some_costs();
  slow.instruction_ns = 1e9;
  EXPECT_THROW(static_cast<void>(run("tree:2,3,1000000000000", 2, slow)), heist::usage_error);
  EXPECT_THROW(static_cast<void>(run("chain:10000000", 2, slow)), heist::usage_error);
}
