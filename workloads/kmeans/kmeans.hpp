// k-means: puts each point to the nearest of k centres, and moves each centre to the mean of its
// points, for a fixed number of rounds (Lloyd's algorithm). A round is a loop over blocks of points
// that leaves partial sums of each block, then a serial combination of the blocks in their order.
// The size of a block does not depend on the number of workers, so the sums are the same bit for
// bit however the loop is divided.
//
// S. Lloyd: Least Squares Quantization in PCM (IEEE Transactions on Information Theory, 1982).

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/forkers.hpp"

namespace heist::workloads {

struct clustering_size {
  std::size_t points, dimensions, clusters, block;

  [[nodiscard]] std::size_t blocks() const { return (points + block - 1) / block; }
};

// What the points of a block, or of all blocks, add up to.
struct cluster_sums {
  explicit cluster_sums(const clustering_size& size)
      : coordinates(size.clusters * size.dimensions), counts(size.clusters) {}

  void clear();
  void add(const cluster_sums& other);

  std::vector<double> coordinates;  // of all points of a cluster, cluster after cluster
  std::vector<std::uint32_t> counts;
  double error = 0;  // the sum of the squared distances to the centres
};

// The points, dimension by dimension within each point, and the state between two rounds.
struct clustering {
  explicit clustering(const clustering_size& of);

  clustering_size size;
  std::vector<double> points;
  std::vector<double> centres;
  std::vector<double> centres_before;  // those that the points were put to
  std::vector<std::uint32_t> cluster_of;
  std::vector<cluster_sums> of_block;
  std::vector<double> errors;  // of each round
};

// Puts the points of a block to their nearest centres; of equally near ones, to the first. It is
// out of line so that the parallel and the serial form run the same machine code.
void assign_block(clustering& state, std::size_t block);

// Moves the centres to the means. One without points stays where it is.
void move_centres(clustering& state);

template <class Fork>
void find_clusters(clustering& state, std::size_t rounds, Fork fork) {
  for (std::size_t round = 0; round < rounds; ++round) {
    fork.loop(state.size.blocks(), 1, [&state](std::size_t block) { assign_block(state, block); });
    move_centres(state);
  }
}

}  // namespace heist::workloads
