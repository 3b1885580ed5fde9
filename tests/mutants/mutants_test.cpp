// The models can fail: for each weakening of the protocols, the model that docs/memory_model.md
// names fails, or none if the document says "none" and gives the reason.
//
// The document has a section for each family of models, with the family's name in its heading as
// `name`, and in its tables a row for each mutant: | `name` | model or none | reason |. A mutant
// without a row is tried on all models, and the test prints the row that is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "tests/model/model.hpp"
#include "tests/model/mutation.hpp"

namespace heist_model {

// A family's mutants are distributed over several tests, which ctest runs at the same time. A
// mutant's name determines its test.
constexpr std::size_t parts = 4;
struct part {
  family of;
  std::size_t number;  // from 0

  [[nodiscard]] bool has(const std::string& mutant) const {
    return std::hash<std::string>{}(mutant) % parts == number;
  }
};

// For GoogleTest.
void PrintTo(const part& p, std::ostream* out);
void PrintTo(const part& p, std::ostream* out) { *out << p.of.name << ' ' << p.number; }

namespace {

constexpr std::uint64_t schedules_to_record = 2'000;
constexpr std::uint64_t schedules_to_kill = 50'000;
constexpr std::uint64_t schedules_for_survivors = 10'000;
constexpr rlim_t seconds_to_end = 300;  // of processor time, for one mutant on one model

// The exit codes of a mutant's process.
constexpr int survived = 0;
constexpr int killed = 10;

// The changes that the seam and the sleep models can make besides orders, and their families.
struct step_change {
  const char* name;
  change what;
  const char* family;
};
const step_change step_changes[] = {
    {"tag not compared", change::tag_not_compared, "split"},
    {"pop tests split", change::split_for_bound, "split"},
    {"no second look", change::no_second_look, "split"},
    {"no heavy barrier", change::no_heavy_barrier, "split"},
    {"no heavy barrier", change::no_heavy_barrier, "rows"},
    {"low half looked at once", change::low_half_once, "split"},
    {"tag not compared", change::tag_not_compared, "abp"},
    {"no second look at the epoch", change::no_second_epoch, "chase_lev"},
    {"no wait for the old parity", change::no_wait_for_parity, "chase_lev"},
    {"current array before the copy", change::current_before_copy, "chase_lev"},
    {"owner keeps the stamp", change::stamp_kept, "multi_steal"},
    {"reach too short", change::reach_too_short, "multi_steal"},
    {"owner keeps the stamp", change::stamp_kept, "steal_half"},
    {"highest forgotten", change::highest_forgotten, "steal_half"},
    {"oldest before stamp", change::oldest_before_stamp, "steal_half"},
    {"request before count", change::request_before_count, "sleeping"},
    {"count after barrier", change::count_after_barrier, "sleeping"},
    {"look at the public part only", change::public_look_only, "sleeping"},
    {"no fence to wake", change::no_fence_to_wake, "sleeping"},
    {"no fence at the end", change::no_fence_at_end, "sleeping"},
    {"no second request", change::no_second_request, "sleeping"},
    {"no look for sleepers", change::no_look_for_sleepers, "sleeping"},
    {"no look at the mail", change::no_mail_look, "sleeping"},
    {"mail wakes one", change::mail_wakes_one, "sleeping"},
    {"no wake by the unseated", change::no_wake_by_the_unseated, "guests"},
    {"no wake of the awaiting", change::no_wake_of_the_awaiting, "guests"},
    {"no announcement for the resident", change::no_announcement_for_the_resident, "guests"},
    {"no request to leave", change::no_request_to_leave, "guests"},
    {"no fence to leave", change::no_fence_to_leave, "guests"},
    {"no fence to run", change::no_fence_to_run, "guests"},
    {"no look to leave", change::no_look_to_leave, "guests"},
    {"mail wakes one", change::mail_wakes_one, "guests"},
    {"only those that run are asked", change::only_runners_are_asked, "turns"},
    {"no fence to ask", change::no_fence_to_ask, "turns"},
    {"no fence after the answer", change::no_fence_after_answer, "turns"},
    {"no look of the guest", change::no_look_of_the_guest, "turns"},
    {"hunger after the look", change::hunger_after_look, "market"},
    {"no barrier of the owners", change::no_barrier_of_owners, "market"},
    {"no look for calls", change::no_look_for_calls, "market"},
    {"flag looked at before the seat is free", change::flag_before_seat, "market"},
    {"no second look at the seats", change::no_second_look_at_seats, "market"},
};

// Records the operations of the family's models. The sleepers' models are needed to see all of the
// split deque.
std::vector<mutant> mutants_of_family(const family& f) {
  start_recording();
  for (const family& one : all_families())
    if (one.name == f.name || (f.name == "split" && one.name == "sleeping"))
      for (const model& m : one.models) m.run({search::random, 0, schedules_to_record});
  std::vector<mutant> all;
  for (const std::string& file : f.headers)
    for (mutant& m : mutants_of(stop_recording(file))) all.push_back(m);
  for (const step_change& c : step_changes)
    if (c.family == f.name) all.push_back({c.name, c.what, {}});
  return all;
}

// The rows of the tables under a heading with `family`, from a mutant's name to the model that
// kills it.
std::map<std::string, std::string> documented(const std::string& family) {
  std::ifstream file(HEIST_MODEL_TABLE);
  std::map<std::string, std::string> rows;
  bool here = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) here = line.find("`" + family + "`") != std::string::npos;
    if (!here || !line.starts_with("| `")) continue;
    const std::size_t end = line.find("` | ");
    const std::size_t next = line.find(" | ", end + 4);
    if (end == std::string::npos || next == std::string::npos) continue;
    rows[line.substr(3, end - 3)] = line.substr(end + 4, next - end - 4);
  }
  return rows;
}

// Whether the model can detect the mutant. A push of the split deque also matters for sleeping,
// where it meets a sleeper's look; only sleepers use has_work().
bool concerns(const mutant& m, const family& f, const model& one) {
  if (f.name != "split") return one.family == f.name;
  const std::string_view function = m.where.function;
  if (function == "has_work") return one.family == "sleeping";
  return one.family == "split" || (one.family == "sleeping" && function == "publish");
}

// Whether the model fails. It runs in a process of its own, because a mutant may also crash, or
// loop for ever without an operation at which Relacy could notice.
bool kills(const model& one, const mutant& m, const plan& p, rlim_t seconds = seconds_to_end) {
  std::cout.flush();  // the child has a copy of what is buffered
  const pid_t child = fork();
  if (child == 0) {
    const rlimit processor_time{seconds, seconds + 1};
    const rlimit no_core{0, 0};
    if (setrlimit(RLIMIT_CPU, &processor_time) != 0 || setrlimit(RLIMIT_CORE, &no_core) != 0)
      _exit(EXIT_FAILURE);
    running_mutant = m;
    _exit(one.run(p).sound ? survived : killed);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    throw std::system_error(errno, std::generic_category(), "a mutant's process");
  if (WIFSIGNALED(status)) {
    std::cout << m.name << " ends " << one.name << ": " << strsignal(WTERMSIG(status)) << '\n';
    return true;
  }
  EXPECT_THAT(WEXITSTATUS(status), testing::AnyOf(survived, killed)) << m.name;
  return WEXITSTATUS(status) == killed;
}

plan plan_to_kill(const model& one) {
  return {one.usual.how, one.usual.switches, schedules_to_kill};
}

// A mutant that survives runs on all models, so its searches are shorter and show less, unless
// HEIST_MODEL_SWITCHES is set.
plan plan_for_survivors(const model& one) {
  if (std::getenv("HEIST_MODEL_SWITCHES") != nullptr) return plan_to_kill(one);
  switch (one.usual.how) {
    case search::exhaustive:
      return {search::bounded, 2};
    case search::bounded:
      return {search::bounded, std::max(one.usual.switches, 2U) - 1};
    case search::random:
      break;
  }
  return {search::random, 0, schedules_for_survivors};
}

// The name of the first model that fails, or "none".
std::string killer(const family& f, const mutant& m) {
  for (const model& one : all_models())
    if (concerns(m, f, one) && kills(one, m, plan_for_survivors(one))) return one.name;
  return "none";
}

std::vector<part> all_parts() {
  std::vector<part> all;
  for (const family& f : all_families())
    for (std::size_t number = 0; number < parts; ++number) all.push_back({f, number});
  return all;
}

class Mutants : public testing::TestWithParam<part> {};

TEST_P(Mutants, AreKilledAsDocumented) {
  const family& f = GetParam().of;
  const std::vector<model> models = all_models();
  std::map<std::string, std::string> rows = documented(f.name);
  for (const mutant& m : mutants_of_family(f)) {
    const std::string expected = rows[m.name];
    rows.erase(m.name);
    if (!GetParam().has(m.name)) continue;
    const auto named = std::find_if(models.begin(), models.end(),
                                    [&](const model& one) { return one.name == expected; });
    if (named != models.end())
      EXPECT_TRUE(kills(*named, m, plan_to_kill(*named))) << m.name << " survives " << expected;
    else
      EXPECT_EQ(expected, killer(f, m)) << "| `" << m.name << "` |";
  }
  for (const auto& [name, model] : rows)
    if (GetParam().has(name)) ADD_FAILURE() << "no such mutant: " << name;
}

// Makes a model that calls `run` for every search.
model model_of(std::function<outcome(const plan&)> run) {
  return {"", "a model", 0, 0, {}, std::move(run)};
}

TEST(MutantsProcess, KeepsACrashToItself) {
  const model crashing = model_of([](const plan&) -> outcome { std::abort(); });
  EXPECT_TRUE(kills(crashing, mutant{}, {}));
}

TEST(MutantsProcess, EndsAnEndlessLoop) {
  const model endless = model_of([](const plan&) -> outcome {
    for (volatile bool on = true; on;) {
    }
    return {};
  });
  EXPECT_TRUE(kills(endless, mutant{}, {}, 1));
}

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(all_parts()), [](const auto& one) {
  return one.param.of.name + "_" + std::to_string(one.param.number + 1);
});

}  // namespace
}  // namespace heist_model
