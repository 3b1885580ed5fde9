#include "workloads/graph/graph.hpp"

#include <numeric>

#include <fmt/format.h>

#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"

namespace heist::workloads {

namespace {

// Graph 500's probabilities of the quarters of the adjacency matrix, as parts of 2^16: an edge goes
// on into the upper left one with 0.57, into the two beside it with 0.19 each.
constexpr std::uint64_t upper_left = 37356;
constexpr std::uint64_t upper_right = upper_left + 12452;
constexpr std::uint64_t lower_left = upper_right + 12452;

// A permutation of the numbers of `scale` bits: each step can be undone.
vertex shuffled_label(vertex label, const rmat_settings& settings) {
  const auto mask = static_cast<vertex>(settings.vertices() - 1);
  const unsigned half = (settings.scale + 1) / 2;
  for (std::uint64_t round = 0; round < 3; ++round) {
    const auto random = random_at(~settings.seed, round);
    label = (label * static_cast<vertex>(random | 1) + static_cast<vertex>(random >> 32)) & mask;
    if (half > 0) label ^= label >> half;
  }
  return label;
}

}  // namespace

edge rmat_edge(const rmat_settings& settings, std::size_t index) {
  edge made{0, 0};
  std::uint64_t random = 0;
  for (unsigned level = 0; level < settings.scale; ++level) {
    if (level % 4 == 0) random = random_at(settings.seed, index * 8 + level / 4);
    const auto part = random & 0xffff;  // a random number is enough for four levels
    random >>= 16;
    made.from = made.from * 2 + (part >= upper_right ? 1 : 0);
    made.to = made.to * 2 + (part >= lower_left || (part >= upper_left && part < upper_right));
  }
  if (settings.labels == vertex_labels::shuffled) {
    made.from = shuffled_label(made.from, settings);
    made.to = shuffled_label(made.to, settings);
  }
  return made;
}

graph graph_of(std::size_t vertices, std::span<const edge> edges) {
  graph made;
  made.first.resize(vertices + 1);
  for (const auto [from, to] : edges) {
    if (from == to) continue;
    ++made.first[from + 1];
    ++made.first[to + 1];
  }
  std::inclusive_scan(made.first.begin(), made.first.end(), made.first.begin());
  made.neighbours.resize(made.first.back());
  std::vector<std::size_t> next(made.first.begin(), made.first.end() - 1);
  for (const auto [from, to] : edges) {
    if (from == to) continue;
    made.neighbours[next[from]++] = to;
    made.neighbours[next[to]++] = from;
  }
  return made;
}

graph make_rmat_graph(const rmat_settings& settings) {
  std::vector<edge> edges(settings.edges());
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = rmat_edge(settings, i);
  return graph_of(settings.vertices(), edges);
}

std::vector<option_spec> graph_options(std::int64_t scale) {
  constexpr std::int64_t largest_scale = 30;  // a vertex has 32 bits
  return {integer_option("scale", "the graph has 2^scale vertices", scale, 0, largest_scale),
          integer_option("edges", "as many times as there are vertices", 16, 0, 1 << 20),
          integer_option("seed", "of the generated graph", 1, 0, INT64_MAX),
          choice_option("labels", "whether busy vertices lie beside each other (generated)",
                        "shuffled", {"shuffled", "generated"})};
}

rmat_settings chosen_graph(std::string_view program, const option_values& values,
                           std::size_t bytes_per_vertex) {
  const rmat_settings settings{.scale = static_cast<unsigned>(values.integer("scale")),
                               .edge_factor = values.size("edges"),
                               .seed = values.size("seed"),
                               .labels = values.text("labels") == "shuffled"
                                             ? vertex_labels::shuffled
                                             : vertex_labels::generated};
  constexpr std::size_t bytes_per_edge = sizeof(edge) + 2 * sizeof(vertex);
  const auto bytes = bytes_per_vertex + 2 * sizeof(std::size_t) +
                     saturating_product(settings.edge_factor, bytes_per_edge);
  require_memory(
      fmt::format("{} --scale {} --edges {}", program, settings.scale, settings.edge_factor),
      saturating_product(settings.vertices(), bytes));
  return settings;
}

}  // namespace heist::workloads
