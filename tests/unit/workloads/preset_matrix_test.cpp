// Every preset runs every program that it can run, on one worker, on two and on more than the
// machine may have processors, and gives what the serial program gives. What it can't run it
// refuses. The sizes are those of the suites' quick runs.
#include <map>

#include <gmock/gmock.h>

#include <heist/error.hpp>
#include <heist/presets.hpp>

#include "bench/suite/suites.hpp"
#include "check_workload.hpp"
#include "workloads/side.hpp"

using namespace heist::workloads;

namespace {

struct sized_program {
  std::string label;  // "fib n=16"
  const workload* program;
  std::unique_ptr<instance> made;
  std::uint64_t expected;  // the serial program's checksum
};

std::string label_of(const heist::bench::suite_program& which) {
  std::string label(which.name);
  for (const auto& setting : which.quick) label += ' ' + setting;
  return label;
}

// Each program of each suite, once for each of its quick sizes.
std::vector<sized_program> quick_programs() {
  std::map<std::string, sized_program> found;
  for (const auto& suite : heist::bench::suites())
    for (const auto& each : suite.programs) {
      const auto label = label_of(each);
      if (each.quick.empty() || found.count(label) != 0) continue;
      auto made = make_side_program(each.name, each.quick);
      made->reset();
      made->run_serial();
      EXPECT_EQ(made->mistake(), std::nullopt) << label;
      const auto expected = made->checksum();
      found.emplace(label, sized_program{label, find(each.name), std::move(made), expected});
    }
  std::vector<sized_program> programs;
  for (auto& [label, each] : found) programs.push_back(std::move(each));
  return programs;
}

// They stay as long as the process, and their serial programs run once.
std::vector<sized_program>& programs() {
  static std::vector<sized_program> all = quick_programs();
  return all;
}

class PresetMatrix : public testing::TestWithParam<std::string_view> {};

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const auto& each : heist::presets::all()) names.push_back(each.name);
  return names;
}

bool can_run(const heist::presets::preset& preset, const workload& program) {
  return preset.construct != construct::plan || program.describe().has_only_loops;
}

}  // namespace

TEST(Suites, HaveAQuickSizeOfEveryProgram) {
  for (const auto* workload : all())
    EXPECT_TRUE(std::any_of(programs().begin(), programs().end(), [&](const sized_program& each) {
      return each.program == workload;
    })) << workload->name();
}

TEST_P(PresetMatrix, GivesTheSerialResult) {
  const auto& preset = *heist::presets::find(GetParam());
  for (const unsigned workers : {1u, 2u, 5u}) {
    auto config = preset.config;
    config.workers = workers;
    heist::pool pool(config);
    auto how = execution_of(preset);
    how.on = &pool;
    for (const auto& each : programs()) {
      if (!can_run(preset, *each.program)) continue;
      each.made->reset();
      pool.run([&] { each.made->run_with(how); });
      EXPECT_EQ(each.made->checksum(), each.expected)
          << preset.name << ", " << each.label << ", P = " << workers << ": "
          << each.made->result();
      EXPECT_EQ(each.made->mistake(), std::nullopt)
          << preset.name << ", " << each.label << ", P = " << workers;
    }
    if (preset.construct == construct::futures) {
      EXPECT_EQ(pool.stats().total.steals, 0u);  // they wait in one queue
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, PresetMatrix, testing::ValuesIn(preset_names()),
                         [](const auto& preset) { return std::string(preset.param); });

TEST(Presets, RefuseWhatTheyCantRun) {
  heist::pool pool({.workers = 2});
  int refused = 0;
  for (const auto& preset : heist::presets::all())
    for (const auto& each : programs()) {
      if (can_run(preset, *each.program)) continue;
      each.made->reset();
      EXPECT_THROW(pool.run([&] { each.made->run_with(execution_of(preset)); }), heist::usage_error)
          << preset.name << ", " << each.label;
      ++refused;
    }
  EXPECT_GT(refused, 4 * 10);  // four plans, and the programs that fork
}
