#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <heist/error.hpp>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/kmeans/kmeans.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class kmeans_instance final : public instance {
 public:
  kmeans_instance(const clustering_size& size, std::size_t rounds, std::uint64_t seed)
      : rounds_(rounds), state_(size) {
    generate(seed);
    reset();
  }

  // The first centres are points at equal distances in the input.
  void reset() override {
    const auto& size = state_.size;
    for (std::size_t cluster = 0; cluster < size.clusters; ++cluster) {
      const auto* const point = point_of(cluster * (size.points / size.clusters));
      std::copy_n(point, size.dimensions, &state_.centres[cluster * size.dimensions]);
    }
    state_.centres_before = state_.centres;
    std::fill(state_.cluster_of.begin(), state_.cluster_of.end(), 0U);
    state_.errors.clear();
    state_.errors.reserve(rounds_);
  }
  void run_serial() override { find_clusters(state_, rounds_, serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { find_clusters(state_, rounds_, fork); });
  }

  std::string result() const override {
    return fmt::format(
        "{} points in {} clusters; mean squared distance {:.6g}", state_.size.points,
        state_.size.clusters,
        state_.errors.empty() ? 0 : state_.errors.back() / static_cast<double>(state_.size.points));
  }
  std::uint64_t checksum() const override {
    return hash_of_bits(state_.centres) ^
           ordered_hash(std::span<const std::uint32_t>(state_.cluster_of));
  }

  std::optional<std::string> mistake() const override {
    if (state_.errors.size() != rounds_)
      return fmt::format("{} rounds instead of {}", state_.errors.size(), rounds_);
    for (std::size_t i = 1; i < rounds_; ++i)
      if (state_.errors[i] > state_.errors[i - 1] * (1 + 1e-12))
        return fmt::format("the distances have grown in round {}", i);
    if (auto found = a_point_elsewhere()) return found;
    return a_centre_elsewhere();
  }

  work_count work() const override {
    return {static_cast<double>(state_.size.points) * static_cast<double>(state_.size.clusters) *
                static_cast<double>(rounds_),
            "distances"};
  }

 private:
  [[nodiscard]] const double* point_of(std::size_t i) const {
    return &state_.points[i * state_.size.dimensions];
  }

  // The points lie around as many places as there are clusters.
  void generate(std::uint64_t seed) {
    const auto& size = state_.size;
    for (std::size_t i = 0; i < size.points; ++i) {
      const auto place = random_at(seed, i) % size.clusters;
      for (std::size_t d = 0; d < size.dimensions; ++d) {
        const auto number = i * size.dimensions + d;
        double near = 0;  // the sum of four uniform numbers comes close to a normal one
        for (std::uint64_t part = 0; part < 4; ++part)
          near += unit_interval(random_at(seed + 1 + part, number)) - 0.5;
        const auto middle = unit_interval(random_at(~seed, place * size.dimensions + d));
        state_.points[number] = 10 * middle + near;
      }
    }
  }

  // No other centre is nearer than that of the point's cluster.
  [[nodiscard]] std::optional<std::string> a_point_elsewhere() const {
    const auto& size = state_.size;
    if (rounds_ == 0) return std::nullopt;
    for (std::size_t i = 0; i < size.points; ++i) {
      const auto squared_distance = [&](std::size_t cluster) {
        double sum = 0;
        for (std::size_t d = 0; d < size.dimensions; ++d)
          sum += std::pow(point_of(i)[d] - state_.centres_before[cluster * size.dimensions + d], 2);
        return sum;
      };
      const double own = squared_distance(state_.cluster_of[i]);
      for (std::size_t cluster = 0; cluster < size.clusters; ++cluster)
        if (squared_distance(cluster) < own * (1 - 1e-12))
          return fmt::format("point {} is nearer to centre {} than to {}", i, cluster,
                             state_.cluster_of[i]);
    }
    return std::nullopt;
  }

  // Every centre is the mean of its points.
  [[nodiscard]] std::optional<std::string> a_centre_elsewhere() const {
    const auto& size = state_.size;
    if (rounds_ == 0) return std::nullopt;
    std::vector<double> sums(state_.centres.size());
    std::vector<double> counts(size.clusters);
    for (std::size_t i = 0; i < size.points; ++i) {
      const auto cluster = state_.cluster_of[i];
      ++counts[cluster];
      for (std::size_t d = 0; d < size.dimensions; ++d)
        sums[cluster * size.dimensions + d] += point_of(i)[d];
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const auto count = counts[i / size.dimensions];
      const double mean = count == 0 ? state_.centres_before[i] : sums[i] / count;
      if (!(std::abs(mean - state_.centres[i]) <= 1e-9))
        return fmt::format("coordinate {} of the centres is {}, not {}", i, state_.centres[i],
                           mean);
    }
    return std::nullopt;
  }

  std::size_t rounds_;
  clustering state_;
};

class kmeans_workload final : public workload {
 public:
  std::string_view name() const override { return "kmeans"; }
  std::string_view summary() const override {
    return "finds clusters of points: rounds of a loop over blocks with partial sums";
  }
  profile describe() const override {
    return {.shape = "loops in rounds",
            .stresses = "partial sums of blocks, combined in order between the loops",
            .source = "Lloyd 1982",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("points", "to be clustered", 200'000, 1, std::int64_t{1} << 32),
            integer_option("dimensions", "of a point", 8, 1, 1024),
            integer_option("clusters", "to be found", 16, 1, 1 << 16),
            integer_option("rounds", "of the algorithm", 10, 0, 1'000'000),
            integer_option("block", "points of a block, which is not divided", 1000, 1, 1 << 30),
            integer_option("seed", "of the generated points", 1, 0, INT64_MAX)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const clustering_size size{values.size("points"), values.size("dimensions"),
                               values.size("clusters"), values.size("block")};
    if (size.clusters > size.points)
      throw usage_error(
          fmt::format("kmeans --clusters {} is more than --points {}", size.clusters, size.points));
    const auto of_points = saturating_product(size.points, size.dimensions * sizeof(double) + 4);
    const auto of_blocks =
        saturating_product(size.blocks(), size.clusters * (size.dimensions * sizeof(double) + 4));
    require_memory(fmt::format("kmeans --points {} --clusters {}", size.points, size.clusters),
                   of_points < UINT64_MAX - of_blocks ? of_points + of_blocks : UINT64_MAX);
    return std::make_unique<kmeans_instance>(size, values.size("rounds"), values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_kmeans() { return std::make_unique<kmeans_workload>(); }

}  // namespace heist::workloads

// ---- kmeans.hpp

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
