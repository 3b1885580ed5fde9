#include "workloads/pagerank/pagerank.hpp"

#include <algorithm>

namespace heist::workloads {

page_ranks::page_ranks(const graph& in)
    : on(&in),
      part_of_degree(in.vertices()),
      ranks(in.vertices()),
      gives(in.vertices()),
      gave(in.vertices()) {
  for (std::size_t v = 0; v < in.vertices(); ++v) {
    if (in.degree(v) == 0)
      lonely.push_back(static_cast<vertex>(v));
    else
      part_of_degree[v] = damping / static_cast<double>(in.degree(v));
  }
  reset();
}

void page_ranks::reset() {
  iterations = 0;
  const double equal = 1 / static_cast<double>(ranks.size());
  std::fill(ranks.begin(), ranks.end(), equal);
  for (std::size_t v = 0; v < ranks.size(); ++v) gives[v] = equal * part_of_degree[v];
  std::fill(gave.begin(), gave.end(), 0.0);
}

double page_ranks::by_jumps() const {
  const double from_lonely =
      lonely.empty() ? 0 : static_cast<double>(lonely.size()) * ranks[lonely.front()];
  return (1 - damping + damping * from_lonely) / static_cast<double>(ranks.size());
}

void page_ranks::pull(std::size_t part, double jumps) {
  const double* const from = gave.data();
  const std::size_t last = std::min(ranks.size(), (part + 1) * vertices_of_a_part);
  for (std::size_t v = part * vertices_of_a_part; v < last; ++v) {
    double sum = jumps;
    for (const vertex neighbour : on->neighbours_of(v)) sum += from[neighbour];
    ranks[v] = sum;
    gives[v] = sum * part_of_degree[v];
  }
}

}  // namespace heist::workloads
