// Tests single pushes and moves, and that the expensive cells drift.
#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/particles/particles.hpp"

using namespace heist::workloads;

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
