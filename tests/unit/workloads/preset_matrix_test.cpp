// Every preset runs every program that it can run, on one worker, on two and on more than the
// machine may have processors, and gives what the serial program gives. What it can't run it
// refuses. The sizes are those of the suites' quick runs.
#include <gmock/gmock.h>

#include <map>
#include <numeric>

#include <heist/error.hpp>
#include <heist/presets.hpp>

#include "bench/suite/suites.hpp"
#include "check_workload.hpp"
#include "workloads/mesh/mesh.hpp"
#include "workloads/particles/particles.hpp"
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

// ---- Tests single pushes and moves, and that the expensive cells drift.

namespace {

std::vector<std::size_t> counts_of(const particle_grid& grid) {
  std::vector<std::size_t> counts;
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) counts.push_back(grid.particles_in(cell));
  return counts;
}

}  // namespace

TEST(Particles, FlyOnAndComeBackOnTheOtherSide) {
  particle_grid grid(
      2, {{.x = 1.5, .y = 0.5, .vx = 0.75, .vy = 0}, {.x = 0.5, .y = 0.25, .vx = 0, .vy = -0.5}});
  EXPECT_EQ(counts_of(grid), std::vector<std::size_t>({1, 1, 0, 0}));
  move_particles(grid, 1, forked{});
  EXPECT_EQ(counts_of(grid), std::vector<std::size_t>({1, 0, 1, 0}));
  EXPECT_EQ(grid.particles()[0].x, 0.25);
  EXPECT_EQ(grid.particles()[1].y, 1.75);
}

TEST(Particles, PushEachOtherWithinACellOnly) {
  particle_grid near(
      1, {{.x = 0.4, .y = 0.5, .vx = 0, .vy = 0}, {.x = 0.6, .y = 0.5, .vx = 0, .vy = 0}});
  move_particles(near, 1, forked{});
  EXPECT_LT(near.particles()[0].vx, 0);
  EXPECT_EQ(near.particles()[0].vx, -near.particles()[1].vx);
  EXPECT_EQ(near.particles()[0].vy, 0);
  particle_grid apart(
      2, {{.x = 0.9, .y = 0.5, .vx = 0, .vy = 0}, {.x = 1.1, .y = 0.5, .vx = 0, .vy = 0}});
  move_particles(apart, 1, forked{});
  EXPECT_EQ(apart.particles()[0].vx, 0);
}

TEST(Particles, TakeTheExpensiveCellsWithThem) {
  constexpr std::size_t side = 16;
  particle_grid grid(side, make_swarm(4000, side, 60, 1));
  const auto fullest_row = [&] {
    std::vector<std::size_t> rows(side);
    for (std::size_t cell = 0; cell < grid.cells(); ++cell)
      rows[cell / side] += grid.particles_in(cell);
    return std::max_element(rows.begin(), rows.end()) - rows.begin();
  };
  const auto before = fullest_row();
  move_particles(grid, 40, serially{});
  EXPECT_NEAR(static_cast<double>(fullest_row()), static_cast<double>(before) + 4, 1);
}

TEST(Particles, AreTheSameOnEveryPool) {
  expect_same_result_everywhere(
      *make_instance("particles", {{"particles", "500"}, {"side", "8"}, {"steps", "3"}}), true);
  for (const auto* particles : {"0", "1", "20"})
    for (const auto* swarm : {"0", "100"})
      expect_same_result_everywhere(
          *make_instance(
              "particles",
              {{"particles", particles}, {"side", "1"}, {"steps", "2"}, {"swarm", swarm}}),
          true);
}

TEST(Particles, RefuseBadOptions) {
  EXPECT_THROW(make_instance("particles", {{"side", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("particles", {{"swarm", "101"}}), heist::usage_error);
}

namespace {

double heat_of(const adaptive_mesh& mesh) {
  double sum = 0;
  for (std::size_t i = 0; i < mesh.patches(); ++i) {
    const auto& cells = mesh.cells_of(i);
    sum += std::accumulate(cells.begin(), cells.end(), 0.0) / static_cast<double>(cells.size());
  }
  return sum;
}

}  // namespace

TEST(Mesh, TheFinePatchesFollowTheSource) {
  adaptive_mesh mesh(8);
  // The source begins at 6, 4: in the middle row, on the right.
  EXPECT_EQ(mesh.level_of(4 * 8 + 6), adaptive_mesh::finest);
  EXPECT_EQ(mesh.level_of(4 * 8 + 1), 0U);
  EXPECT_EQ(mesh.cost_of(4 * 8 + 6), 512 * mesh.cost_of(4 * 8 + 1));
  EXPECT_EQ(mesh.cells_of(4 * 8 + 6).size(), 64U * 64U);
  for (int step = 0; step < 120; ++step) mesh.end_step();  // half a turn
  EXPECT_EQ(mesh.level_of(4 * 8 + 6), 0U);
  EXPECT_EQ(mesh.level_of(4 * 8 + 1), adaptive_mesh::finest);
}

TEST(Mesh, RefiningAndCoarseningKeepTheHeat) {
  adaptive_mesh mesh(6);
  run_steps(mesh, 3, serially{});
  const double before = heat_of(mesh);
  EXPECT_GT(before, 0.1);
  std::vector<unsigned> levels;
  for (std::size_t i = 0; i < mesh.patches(); ++i) levels.push_back(mesh.level_of(i));
  for (int step = 0; step < 40; ++step) mesh.end_step();
  bool has_changed = false;
  for (std::size_t i = 0; i < mesh.patches(); ++i) has_changed |= mesh.level_of(i) != levels[i];
  EXPECT_TRUE(has_changed);
  EXPECT_NEAR(heat_of(mesh), before, 1e-9);
}

TEST(Mesh, IsTheSameInEveryOrder) {
  adaptive_mesh one(5);
  adaptive_mesh other(5);
  run_steps(one, 9, serially{});
  for (int step = 0; step < 9; ++step) {
    for (std::size_t i = other.patches(); i-- > 0;) other.relax(i);
    other.end_step();
  }
  for (std::size_t i = 0; i < one.patches(); ++i) EXPECT_EQ(one.cells_of(i), other.cells_of(i));
}

TEST(Mesh, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(*make_instance("mesh", {{"side", "6"}, {"steps", "10"}}), true);
  expect_same_result_everywhere(*make_instance("mesh", {{"side", "1"}, {"steps", "2"}}), true);
  EXPECT_THROW(make_instance("mesh", {{"side", "0"}}), heist::usage_error);
}
