// An undirected graph, and a generator of graphs whose vertices have very different numbers of
// neighbours, as those of the web and of social networks do. The programs on graphs share it.
//
// D. Chakrabarti, Y. Zhan, C. Faloutsos: R-MAT: A Recursive Model for Graph Mining (SDM 2004), with
// the probabilities of Graph 500 (graph500.org, specification, section 3.2).

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "workloads/options.hpp"

namespace heist::workloads {

using vertex = std::uint32_t;

// The neighbours of all vertices in one array, vertex after vertex ("compressed sparse rows"). An
// edge that the generator made twice is there twice; edges from a vertex to itself are left out.
struct graph {
  std::vector<std::size_t> first;  // of each vertex's neighbours, and the end
  std::vector<vertex> neighbours;

  [[nodiscard]] std::size_t vertices() const { return first.size() - 1; }
  [[nodiscard]] std::size_t degree(std::size_t v) const { return first[v + 1] - first[v]; }
  [[nodiscard]] std::span<const vertex> neighbours_of(std::size_t v) const {
    return {neighbours.data() + first[v], degree(v)};
  }
};

enum class vertex_labels {
  shuffled,   // as Graph 500 wants them
  generated,  // busy vertices have small numbers, so that they lie beside each other
};

struct rmat_settings {
  unsigned scale;           // there are 2^scale vertices
  std::size_t edge_factor;  // and so many times as many edges
  std::uint64_t seed;
  vertex_labels labels;

  [[nodiscard]] std::size_t vertices() const { return std::size_t{1} << scale; }
  [[nodiscard]] std::size_t edges() const { return edge_factor << scale; }
};

struct edge {
  vertex from, to;
};

// Edge number `index` of the generated list.
[[nodiscard]] edge rmat_edge(const rmat_settings& settings, std::size_t index);

// Builds the graph of a list of edges, each of which counts in both directions.
[[nodiscard]] graph graph_of(std::size_t vertices, std::span<const edge> edges);

[[nodiscard]] graph make_rmat_graph(const rmat_settings& settings);

// The options --scale, --edges, --seed and --labels, and what they choose. Throws resource_error if
// the graph and `bytes_per_vertex` more do not fit the memory.
[[nodiscard]] std::vector<option_spec> graph_options(std::int64_t scale);
[[nodiscard]] rmat_settings chosen_graph(std::string_view program, const option_values& values,
                                         std::size_t bytes_per_vertex);

}  // namespace heist::workloads
