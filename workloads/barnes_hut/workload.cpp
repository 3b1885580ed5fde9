#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "workloads/barnes_hut/barnes_hut.hpp"
#include "workloads/barnes_hut/octree.hpp"
#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// A vector of this length in a random direction.
vector3 in_random_direction(double length, std::uint64_t first, std::uint64_t second) {
  const double z = 2 * unit_interval(first) - 1;
  const double angle = 2 * std::numbers::pi * unit_interval(second);
  const double flat = std::sqrt(1 - z * z);
  return {length * flat * std::cos(angle), length * flat * std::sin(angle), length * z};
}

struct star_cluster {
  std::vector<body> bodies;
  std::vector<motion> motions;
};

// Most bodies are near the middle, a few far away (H. Plummer, 1911, cut off where the cluster has
// 99 % of its mass), and their speeds are below that of escape.
star_cluster make_cluster(std::size_t count, std::uint64_t seed) {
  star_cluster made{std::vector<body>(count), std::vector<motion>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    const auto random = [&](std::uint64_t number) { return random_at(seed, i * 8 + number); };
    const double inside = 0.99 * unit_interval(random(0)) + 1e-9;
    const double radius = 1 / std::sqrt(std::pow(inside, -2.0 / 3) - 1);
    const double escape = std::sqrt(2 / std::sqrt(1 + radius * radius));
    const double speed = escape * unit_interval(random(3));
    made.bodies[i] = {.at = in_random_direction(radius, random(1), random(2)),
                      .mass = 1 / static_cast<double>(count),
                      .number = static_cast<std::uint32_t>(i)};
    made.motions[i] = {.velocity = in_random_direction(speed, random(4), random(5)),
                       .acceleration = {}};
  }
  return made;
}

class barnes_hut_instance final : public instance {
 public:
  barnes_hut_instance(std::size_t count, const attraction_settings& settings, std::uint64_t seed)
      : settings_(settings), input_(make_cluster(count, seed)), now_(input_), tree_(count) {}

  void reset() override { now_ = input_; }
  void run_serial() override { move(serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { move(fork); });
  }

  std::string result() const override {
    double energy = 0;
    for (const auto& each : now_.bodies)
      energy += each.mass * now_.motions[each.number].velocity.squared() / 2;
    return fmt::format("{} bodies, {} steps, {} nodes; kinetic energy {:.6f}", now_.bodies.size(),
                       settings_.steps, tree_.nodes().size(), energy);
  }

  std::uint64_t checksum() const override {
    std::vector<double> numbers;
    numbers.reserve(now_.bodies.size() * 6);
    for (const auto& each : now_.bodies)
      for (const auto& of : {each.at, now_.motions[each.number].velocity})
        numbers.insert(numbers.end(), {of.x, of.y, of.z});
    return hash_of_bits(numbers);
  }

  // Compares some accelerations with the sum over all bodies. The error of a node that counts as
  // one body is of the order of the opening angle's square.
  std::optional<std::string> mistake() const override {
    if (settings_.steps == 0) return std::nullopt;
    const double tolerance = 0.1 * settings_.opening * settings_.opening + 1e-9;
    const std::size_t samples = std::min<std::size_t>(now_.bodies.size(), 50);
    double errors = 0;
    for (std::size_t sample = 0; sample < samples; ++sample) {
      const body& one = now_.bodies[sample * (now_.bodies.size() / samples)];
      vector3 sum;
      double sizes = 0;
      for (const auto& other : now_.bodies) {
        const auto part = attraction(other.at - one.at, other.mass);
        sum = sum + part;
        sizes += std::sqrt(part.squared());
      }
      const double difference = (now_.motions[one.number].acceleration - sum).squared();
      if (!std::isfinite(difference)) return "an acceleration is no number";
      if (sizes > 0) errors += std::sqrt(difference) / sizes;
    }
    const double mean = errors / static_cast<double>(samples);
    if (mean <= tolerance) return std::nullopt;
    return fmt::format("the accelerations are wrong by {:.3g}, more than {:.3g}", mean, tolerance);
  }

  work_count work() const override {
    return {static_cast<double>(now_.bodies.size()) * static_cast<double>(settings_.steps),
            "accelerations"};
  }

 private:
  template <class Fork>
  void move(Fork fork) {
    move_bodies(now_.bodies, now_.motions, tree_, settings_, fork);
  }

  attraction_settings settings_;
  star_cluster input_;
  star_cluster now_;
  octree tree_;
};

class barnes_hut_workload final : public workload {
 public:
  std::string_view name() const override { return "barnes_hut"; }
  std::string_view summary() const override {
    return "moves bodies that attract each other: serial octrees, parallel walks through them";
  }
  profile describe() const override {
    return {.shape = "loops in rounds, with a serial part",
            .stresses = "iterations of unequal cost; the serial build bounds the speedup",
            .source = "Barnes and Hut 1986",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("bodies", "in the cluster", 10'000, 1, 1 << 28),
            integer_option("steps", "in time", 3, 0, 1'000'000),
            integer_option("opening", "of the angle, in hundredths; 0: every pair of bodies", 60, 0,
                           100),
            integer_option("seed", "of the generated bodies", 1, 0, INT64_MAX)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto bodies = values.size("bodies");
    // Three arrays of bodies, two of their motions. The nodes are fewer than the bodies, unless
    // many of these are at one place, but an array that grows may be half empty.
    constexpr std::uint64_t bytes_of_a_body =
        3 * sizeof(body) + 2 * sizeof(motion) + 2 * sizeof(octree_node);
    require_memory(fmt::format("barnes_hut --bodies {}", bodies),
                   saturating_product(bodies, bytes_of_a_body));
    const attraction_settings settings{
        .steps = values.size("steps"),
        .opening = static_cast<double>(values.integer("opening")) / 100,
        .duration = 0.01};
    return std::make_unique<barnes_hut_instance>(bodies, settings, values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_barnes_hut() {
  return std::make_unique<barnes_hut_workload>();
}

}  // namespace heist::workloads

// ---- octree.hpp

namespace heist::workloads {

namespace {

// Bodies that are at the same place cannot be divided; they end in one leaf.
constexpr unsigned deepest = 40;

unsigned octant_of(const vector3& place, const vector3& middle) {
  return (place.x >= middle.x ? 1U : 0U) + (place.y >= middle.y ? 2U : 0U) +
         (place.z >= middle.z ? 4U : 0U);
}

}  // namespace

void octree::build(std::span<body> bodies) {
  bodies_ = bodies;
  nodes_.clear();
  if (bodies.empty()) return;
  vector3 least = bodies[0].at;
  vector3 greatest = bodies[0].at;
  for (const auto& each : bodies) {
    least = {std::min(least.x, each.at.x), std::min(least.y, each.at.y),
             std::min(least.z, each.at.z)};
    greatest = {std::max(greatest.x, each.at.x), std::max(greatest.y, each.at.y),
                std::max(greatest.z, each.at.z)};
  }
  const vector3 extent = greatest - least;
  build(0, bodies.size(),
        {(least + greatest) * 0.5, std::max({extent.x, extent.y, extent.z}) / 2, 0});
}

// A counting sort, which keeps the order of bodies of the same octant. Returns where the octants
// begin, and the end.
std::array<std::size_t, 9> octree::sort_into_octants(std::size_t first, std::size_t last,
                                                     const vector3& middle) {
  std::array<std::size_t, 9> starts{};
  for (std::size_t i = first; i < last; ++i) ++starts[octant_of(bodies_[i].at, middle) + 1];
  starts[0] = first;
  for (std::size_t octant = 1; octant < starts.size(); ++octant)
    starts[octant] += starts[octant - 1];
  auto next = starts;
  for (std::size_t i = first; i < last; ++i)
    scratch_[next[octant_of(bodies_[i].at, middle)]++] = bodies_[i];
  std::copy(scratch_.begin() + static_cast<std::ptrdiff_t>(first),
            scratch_.begin() + static_cast<std::ptrdiff_t>(last),
            bodies_.begin() + static_cast<std::ptrdiff_t>(first));
  return starts;
}

void octree::build(std::size_t first, std::size_t last, const cube& in) {
  const std::size_t index = nodes_.size();
  const bool is_leaf = last - first <= bodies_of_a_leaf || in.depth == deepest;
  nodes_.push_back({.centre = {},
                    .mass = 0,
                    .squared_side = 4 * in.half * in.half,
                    .next = 0,
                    .first_body = static_cast<std::uint32_t>(first),
                    .bodies = is_leaf ? static_cast<std::uint32_t>(last - first) : 0});
  vector3 weighted;
  double mass = 0;
  const auto add = [&](const vector3& at, double part) {
    weighted = weighted + at * part;
    mass += part;
  };
  if (is_leaf) {
    for (std::size_t i = first; i < last; ++i) add(bodies_[i].at, bodies_[i].mass);
  } else {
    const auto starts = sort_into_octants(first, last, in.middle);
    const double half = in.half / 2;
    for (unsigned octant = 0; octant < 8; ++octant) {
      if (starts[octant] == starts[octant + 1]) continue;
      const auto toward = [&](unsigned bit) { return (octant & bit) != 0 ? half : -half; };
      const std::size_t child = nodes_.size();
      build(starts[octant], starts[octant + 1],
            {in.middle + vector3{toward(1), toward(2), toward(4)}, half, in.depth + 1});
      add(nodes_[child].centre, nodes_[child].mass);
    }
  }
  octree_node& made = nodes_[index];
  made.centre = weighted * (1 / mass);
  made.mass = mass;
  made.next = static_cast<std::uint32_t>(nodes_.size());
}

vector3 octree::acceleration_at(const vector3& place, double opening) const {
  const double squared_opening = opening * opening;
  const body* const bodies = bodies_.data();
  vector3 sum;
  for (std::size_t i = 0; i < nodes_.size();) {
    const octree_node& node = nodes_[i];
    const vector3 to = node.centre - place;
    if (node.squared_side < squared_opening * to.squared()) {
      sum = sum + attraction(to, node.mass);
      i = node.next;
    } else if (node.bodies == 0) {
      ++i;
    } else {
      for (std::uint32_t k = 0; k < node.bodies; ++k) {
        const body& other = bodies[node.first_body + k];
        sum = sum + attraction(other.at - place, other.mass);
      }
      i = node.next;
    }
  }
  return sum;
}

}  // namespace heist::workloads
