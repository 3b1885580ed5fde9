#include "workloads/kmeans/kmeans.hpp"

#include <algorithm>

namespace heist::workloads {

void cluster_sums::clear() {
  std::fill(coordinates.begin(), coordinates.end(), 0.0);
  std::fill(counts.begin(), counts.end(), 0U);
  error = 0;
}

void cluster_sums::add(const cluster_sums& other) {
  for (std::size_t i = 0; i < coordinates.size(); ++i) coordinates[i] += other.coordinates[i];
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  error += other.error;
}

clustering::clustering(const clustering_size& of)
    : size(of),
      points(of.points * of.dimensions),
      centres(of.clusters * of.dimensions),
      centres_before(of.clusters * of.dimensions),
      cluster_of(of.points),
      of_block(of.blocks(), cluster_sums(of)) {}

void assign_block(clustering& state, std::size_t block) {
  const auto dimensions = state.size.dimensions;
  const double* const centres = state.centres.data();
  cluster_sums& sums = state.of_block[block];
  sums.clear();
  const std::size_t last = std::min(state.size.points, (block + 1) * state.size.block);
  double error = 0;
  for (std::size_t i = block * state.size.block; i < last; ++i) {
    const double* const point = &state.points[i * dimensions];
    std::size_t nearest = 0;
    double least = 0;
    for (std::size_t cluster = 0; cluster < state.size.clusters; ++cluster) {
      const double* const centre = centres + cluster * dimensions;
      double distance = 0;
      for (std::size_t d = 0; d < dimensions; ++d)
        distance += (point[d] - centre[d]) * (point[d] - centre[d]);
      if (cluster == 0 || distance < least) {
        least = distance;
        nearest = cluster;
      }
    }
    state.cluster_of[i] = static_cast<std::uint32_t>(nearest);
    ++sums.counts[nearest];
    error += least;
    for (std::size_t d = 0; d < dimensions; ++d)
      sums.coordinates[nearest * dimensions + d] += point[d];
  }
  sums.error = error;
}

void move_centres(clustering& state) {
  cluster_sums all(state.size);
  for (const auto& each : state.of_block) all.add(each);
  state.errors.push_back(all.error);
  state.centres_before = state.centres;
  const auto dimensions = state.size.dimensions;
  for (std::size_t cluster = 0; cluster < state.size.clusters; ++cluster) {
    if (all.counts[cluster] == 0) continue;
    for (std::size_t d = 0; d < dimensions; ++d)
      state.centres[cluster * dimensions + d] =
          all.coordinates[cluster * dimensions + d] / all.counts[cluster];
  }
}

}  // namespace heist::workloads
