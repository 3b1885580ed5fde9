// PageRank: the probability that somebody who follows random edges, and now and then jumps to a
// random vertex, is at each vertex. In each iteration, every vertex pulls what its neighbours have
// to give, so it writes only its own rank, and no order of the vertices changes a bit of the
// result. Pulling costs as much as a vertex has neighbours, which differs a lot.
//
// L. Page, S. Brin, R. Motwani, T. Winograd: The PageRank Citation Ranking (Stanford 1999). A
// vertex without neighbours jumps always.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "workloads/forkers.hpp"
#include "workloads/graph/graph.hpp"

namespace heist::workloads {

// With this probability an edge is followed.
inline constexpr double damping = 0.85;

struct page_ranks {
  explicit page_ranks(const graph& in);

  // Every vertex starts with the same rank.
  void reset();

  // What every vertex gets by jumps in the next iteration. Vertices without neighbours get nothing
  // else, so all of them have the same rank: that of the first one.
  [[nodiscard]] double by_jumps() const;

  // An iteration of the loop computes so many vertices: most have few neighbours, and one of them
  // alone would take little longer than the loop needs to go on.
  static constexpr std::size_t vertices_of_a_part = 16;
  [[nodiscard]] std::size_t parts() const {
    return (ranks.size() + vertices_of_a_part - 1) / vertices_of_a_part;
  }

  // Computes the ranks of the vertices of a part. It is out of line so that the parallel and the
  // serial form run the same machine code.
  void pull(std::size_t part, double jumps);

  const graph* on;
  std::size_t iterations = 0;          // since the start
  std::vector<vertex> lonely;          // the vertices without neighbours
  std::vector<double> part_of_degree;  // damping / degree, or 0
  std::vector<double> ranks;
  std::vector<double> gives, gave;  // to each neighbour: in the next iteration, in this one
};

template <class Fork>
void rank_pages(page_ranks& state, std::size_t iterations, Fork fork) {
  constexpr std::size_t grain = 4;
  for (std::size_t i = 0; i < iterations; ++i) {
    const double jumps = state.by_jumps();
    std::swap(state.gives, state.gave);
    fork.loop(state.parts(), grain, [&state, jumps](std::size_t part) { state.pull(part, jumps); });
    ++state.iterations;
  }
}

}  // namespace heist::workloads
