// Tests the octree against its definition, and its accelerations against sums over all bodies.
#include <algorithm>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/barnes_hut/octree.hpp"
#include "workloads/hashing.hpp"

using namespace heist::workloads;

namespace {

std::vector<body> random_bodies(std::size_t count) {
  std::vector<body> bodies(count);
  for (std::size_t i = 0; i < count; ++i)
    bodies[i] = {.at = {unit_interval(random_at(1, i)), unit_interval(random_at(2, i)),
                        unit_interval(random_at(3, i))},
                 .mass = 1 + unit_interval(random_at(4, i)),
                 .number = static_cast<std::uint32_t>(i)};
  return bodies;
}

// Every body is in exactly one leaf, and a node's mass is that of the bodies below it.
void expect_tree_over(const std::vector<body>& bodies, const octree& tree) {
  const auto nodes = tree.nodes();
  std::size_t next_body = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_EQ(nodes[i].first_body, nodes[i].bodies == 0 ? nodes[i + 1].first_body : next_body);
    double mass = 0;
    std::size_t end = nodes[i].first_body;
    for (std::size_t k = i; k < nodes[i].next; ++k) end += nodes[k].bodies;
    for (std::size_t k = nodes[i].first_body; k < end; ++k) mass += bodies[k].mass;
    EXPECT_NEAR(nodes[i].mass, mass, 1e-9 * mass);
    next_body += nodes[i].bodies;
  }
  EXPECT_EQ(next_body, bodies.size());
}

vector3 sum_over_all(const std::vector<body>& bodies, const vector3& place) {
  vector3 sum;
  for (const auto& each : bodies) sum = sum + attraction(each.at - place, each.mass);
  return sum;
}

}  // namespace

TEST(Octree, HasEveryBodyOnce) {
  for (const std::size_t count : {1u, 2u, 8u, 9u, 300u}) {
    auto bodies = random_bodies(count);
    octree tree(count);
    for (int times = 0; times < 2; ++times) {  // the second one, over bodies in order
      tree.build(bodies);
      expect_tree_over(bodies, tree);
    }
    std::vector<std::uint32_t> numbers;
    for (const auto& each : bodies) numbers.push_back(each.number);
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(numbers[i], i);
  }
}

TEST(Octree, EndsWhereBodiesAreAtOnePlace) {
  std::vector<body> bodies(30, {.at = {0.5, 0.5, 0.5}, .mass = 1, .number = 0});
  bodies.push_back({.at = {0, 0, 0}, .mass = 1, .number = 1});
  octree tree(bodies.size());
  tree.build(bodies);
  expect_tree_over(bodies, tree);
}

TEST(Octree, SumsUpAllBodiesIfNoNodeStandsForThem) {
  auto bodies = random_bodies(200);
  octree tree(bodies.size());
  tree.build(bodies);
  for (const auto& each : bodies) {
    const auto exact = sum_over_all(bodies, each.at);
    const auto size = std::sqrt(exact.squared());
    EXPECT_LE(std::sqrt((tree.acceleration_at(each.at, 0) - exact).squared()), 1e-12 * size);
    EXPECT_LE(std::sqrt((tree.acceleration_at(each.at, 0.3) - exact).squared()), 0.1 * size);
  }
}

TEST(BarnesHut, MovesOneBodyAndTwo) {
  for (const auto* bodies : {"1", "2", "9"})
    for (const auto* opening : {"0", "100"})
      expect_same_result_everywhere(
          *make_instance("barnes_hut", {{"bodies", bodies}, {"opening", opening}}), true);
}

TEST(BarnesHut, NoticesAccelerationsThatAreMissing) {
  const auto instance = make_instance("barnes_hut", {{"bodies", "100"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(BarnesHut, RefusesBadOptions) {
  EXPECT_THROW(make_instance("barnes_hut", {{"bodies", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("barnes_hut", {{"opening", "101"}}), heist::usage_error);
}
