// Tests the generated graphs and the programs on them.
#include <algorithm>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/barnes_hut/octree.hpp"
#include "workloads/bfs/bfs.hpp"
#include "workloads/graph/graph.hpp"
#include "workloads/hashing.hpp"
#include "workloads/pagerank/pagerank.hpp"

using namespace heist::workloads;

namespace {

// A path 0 - 1 - 2 - 3, a vertex 4 that hangs on 1, and a vertex 5 on its own.
graph small_graph() {
  const edge edges[] = {{0, 1}, {2, 1}, {2, 3}, {4, 1}, {5, 5}};
  return graph_of(6, edges);
}

rmat_settings settings_of(unsigned scale, vertex_labels labels) {
  return {.scale = scale, .edge_factor = 8, .seed = 3, .labels = labels};
}

std::vector<std::size_t> sorted_degrees(const graph& of) {
  std::vector<std::size_t> degrees;
  for (std::size_t v = 0; v < of.vertices(); ++v) degrees.push_back(of.degree(v));
  std::sort(degrees.begin(), degrees.end());
  return degrees;
}

}  // namespace

TEST(Graph, HasEveryEdgeInBothDirectionsAndNoLoops) {
  const auto made = small_graph();
  const auto neighbours = [&](std::size_t v) {
    const auto of = made.neighbours_of(v);
    return std::vector<vertex>(of.begin(), of.end());
  };
  EXPECT_EQ(made.vertices(), 6u);
  EXPECT_EQ(neighbours(0), std::vector<vertex>({1}));
  EXPECT_EQ(neighbours(1), std::vector<vertex>({0, 2, 4}));
  EXPECT_EQ(neighbours(2), std::vector<vertex>({1, 3}));
  EXPECT_EQ(neighbours(5), std::vector<vertex>());
}

// Shuffling is a permutation of the vertices, so the degrees stay the same.
TEST(Graph, ShufflesTheLabelsAndNothingElse) {
  for (const unsigned scale : {0u, 1u, 2u, 5u, 10u}) {
    const auto shuffled = make_rmat_graph(settings_of(scale, vertex_labels::shuffled));
    const auto generated = make_rmat_graph(settings_of(scale, vertex_labels::generated));
    EXPECT_EQ(sorted_degrees(shuffled), sorted_degrees(generated)) << "scale " << scale;
    EXPECT_EQ(shuffled.vertices(), std::size_t{1} << scale);
  }
}

// The recursive choice leaves the upper half of the matrix with 0.57 + 0.19 of the edges.
TEST(Graph, HasTheDistributionOfGraph500) {
  const auto settings = settings_of(12, vertex_labels::generated);
  std::size_t upper = 0;
  std::size_t left = 0;
  for (std::size_t i = 0; i < settings.edges(); ++i) {
    const auto made = rmat_edge(settings, i);
    upper += made.from < settings.vertices() / 2 ? 1 : 0;
    left += made.to < settings.vertices() / 2 ? 1 : 0;
  }
  const auto edges = static_cast<double>(settings.edges());
  EXPECT_NEAR(static_cast<double>(upper) / edges, 0.76, 0.01);
  EXPECT_NEAR(static_cast<double>(left) / edges, 0.76, 0.01);
}

TEST(Bfs, FindsTheDistances) {
  const auto in = small_graph();
  const std::vector<distance> expected = {2, 1, 0, 1, 2, unreached};
  std::vector<distance> found(6, unreached);
  bfs_levels levels(6);
  search_breadth_first(in, 2, found, levels, forked{});
  EXPECT_EQ(found, expected);
  std::vector<distance> serial(6, unreached);
  std::vector<vertex> queue(6);
  search_breadth_first_serially(in, 2, serial, queue);
  EXPECT_EQ(serial, expected);
  EXPECT_EQ(mistake_in_distances(in, 2, expected), std::nullopt);
}

TEST(Bfs, NoticesWrongDistances) {
  const auto in = small_graph();
  const std::vector<std::vector<distance>> wrong = {
      {2, 1, 1, 1, 2, unreached},          // the source
      {2, 1, 0, 1, 3, unreached},          // too far
      {2, 1, 0, 1, 1, unreached},          // too near
      {2, 1, 0, 1, unreached, unreached},  // not reached
      {unreached, 1, 0, 1, 2, unreached},  // likewise
      {2, 1, 0, 1, 2, 7}};                 // reached without an edge
  for (const auto& distances : wrong)
    EXPECT_NE(mistake_in_distances(in, 2, distances), std::nullopt);
}

// More claimed vertices than one worker keeps before it appends them.
TEST(Bfs, ReachesTheManyNeighboursOfOneVertex) {
  constexpr std::size_t vertices = 3000;
  std::vector<edge> edges;
  for (vertex v = 1; v < vertices; ++v) edges.push_back({0, v});
  const auto star = graph_of(vertices, edges);
  std::vector<distance> found(vertices, unreached);
  bfs_levels levels(vertices);
  search_breadth_first(star, 7, found, levels, forked{});
  EXPECT_EQ(mistake_in_distances(star, 7, found), std::nullopt);
}

TEST(Bfs, IsTheSameOnEveryPool) {
  for (const auto* labels : {"shuffled", "generated"})
    expect_same_result_everywhere(
        *make_instance("bfs", {{"scale", "9"}, {"searches", "2"}, {"labels", labels}}), true);
  for (const auto* edges : {"0", "3"})
    for (const auto* scale : {"0", "1", "4"})
      expect_same_result_everywhere(*make_instance("bfs", {{"scale", scale}, {"edges", edges}}),
                                    true);
}

// From the ranks 1/6 of all: vertex 5 jumps, and the others follow an edge in 85 of 100 cases.
TEST(PageRank, MakesOneIterationAsByHand) {
  const auto on = small_graph();
  page_ranks state(on);
  rank_pages(state, 1, forked{});
  const double jumps = (0.15 + 0.85 / 6) / 6;
  const double third = 0.85 / 6 / 3;
  const double half = 0.85 / 6 / 2;
  const double expected[] = {jumps + third,
                             jumps + 0.85 / 6 * 2 + half,
                             jumps + third + 0.85 / 6,
                             jumps + half,
                             jumps + third,
                             jumps};
  for (std::size_t v = 0; v < 6; ++v) EXPECT_NEAR(state.ranks[v], expected[v], 1e-15) << v;
}

TEST(PageRank, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(*make_instance("pagerank", {{"scale", "8"}, {"iterations", "3"}}),
                                true);
  for (const auto* edges : {"0", "2"})
    for (const auto* iterations : {"0", "1", "2"})
      expect_same_result_everywhere(
          *make_instance("pagerank",
                         {{"scale", "2"}, {"edges", edges}, {"iterations", iterations}}),
          true);
}

TEST(PageRank, NoticesAnIterationThatWasNotMade) {
  const auto instance = make_instance("pagerank", {{"scale", "6"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

// A large delta makes long loops, a small one many bounds.
TEST(ShortestPaths, AreTheSameOnEveryPool) {
  for (const auto* delta : {"1", "64", "100000"})
    expect_same_result_everywhere(
        *make_instance("shortest_paths", {{"scale", "8"}, {"delta", delta}}), true);
  for (const auto* edges : {"0", "2"})
    expect_same_result_everywhere(
        *make_instance("shortest_paths", {{"scale", "2"}, {"edges", edges}}), true);
}

TEST(ShortestPaths, NoticeASearchThatWasNotMade) {
  const auto instance = make_instance("shortest_paths", {{"scale", "6"}});
  instance->run_serial();
  EXPECT_EQ(instance->mistake(), std::nullopt);
  instance->reset();
  instance->run_with({});
  EXPECT_EQ(instance->mistake(), std::nullopt);
}

TEST(Graph, RefusesBadOptions) {
  for (const auto* program : {"bfs", "pagerank", "shortest_paths"}) {
    EXPECT_THROW(make_instance(program, {{"scale", "31"}}), heist::usage_error);
    EXPECT_THROW(make_instance(program, {{"labels", "none"}}), heist::usage_error);
    EXPECT_THROW(make_instance(program, {{"scale", "30"}, {"edges", "1000000"}}),
                 heist::resource_error);
  }
}

// ---- Tests the octree against its definition, and its accelerations against sums over all bodies.

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
