// The attraction of n bodies in n log n steps: bodies that are far away count as one body in their
// centre of mass. Each step in time builds an octree, serially, and computes the accelerations in a
// parallel loop over the bodies. In a dense region a body needs more of the tree, so iterations
// differ, but neighbours in the order of the tree read the same nodes.
//
// The serial part, moving the bodies and building the tree, bounds the speedup: with a part s of
// the work, P workers are at most 1 / (s + (1 - s) / P) times as fast as one.
//
// J. Barnes, P. Hut: A hierarchical O(N log N) force-calculation algorithm (Nature 324, 1986).

#pragma once

#include <cstddef>
#include <span>

#include "workloads/barnes_hut/octree.hpp"
#include "workloads/forkers.hpp"

namespace heist::workloads {

struct attraction_settings {
  std::size_t steps;
  double opening;   // the angle from which on a node is divided
  double duration;  // of a step
};

struct motion {
  vector3 velocity;
  vector3 acceleration;
};

// motions[i] is that of the body with number i. After the last step, the accelerations are those at
// the final places.
template <class Fork>
void move_bodies(std::span<body> bodies, std::span<motion> motions, octree& tree,
                 const attraction_settings& settings, Fork fork) {
  constexpr std::size_t grain = 16;
  for (std::size_t step = 0; step < settings.steps; ++step) {
    for (auto& each : bodies) each.at = each.at + motions[each.number].velocity * settings.duration;
    tree.build(bodies);
    fork.loop(bodies.size(), grain, [&](std::size_t i) {
      motion& of = motions[bodies[i].number];
      of.acceleration = tree.acceleration_at(bodies[i].at, settings.opening);
      of.velocity = of.velocity + of.acceleration * settings.duration;
    });
  }
}

}  // namespace heist::workloads
