// Tests that the fine patches follow the source, and what refining and coarsening keep.
#include <numeric>

#include "check_workload.hpp"
#include "workloads/mesh/mesh.hpp"

using namespace heist::workloads;

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
