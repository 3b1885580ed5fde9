#include "workloads/barnes_hut/octree.hpp"

#include <algorithm>

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
