// The octree of Barnes and Hut: each node is a cube with bodies in it, and stands for all of them
// at a distance. The nodes lie in one array in the order in which a walk meets them, each with the
// number of the node that follows its descendants, so a walk needs no stack.

#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heist::workloads {

struct vector3 {
  double x = 0;
  double y = 0;
  double z = 0;

  vector3 operator+(const vector3& v) const { return {x + v.x, y + v.y, z + v.z}; }
  vector3 operator-(const vector3& v) const { return {x - v.x, y - v.y, z - v.z}; }
  vector3 operator*(double factor) const { return {x * factor, y * factor, z * factor}; }
  [[nodiscard]] double squared() const { return x * x + y * y + z * z; }
};

// What other bodies see of a body. How it moves is elsewhere, so a walk through the tree reads
// less, and nobody writes what others read.
struct body {
  vector3 at;
  double mass;
  std::uint32_t number;  // of the body, wherever the tree has put it
};

struct octree_node {
  vector3 centre;  // of mass
  double mass;
  double squared_side;  // of the cube
  std::uint32_t next;   // the node after this one and its descendants
  std::uint32_t first_body;
  std::uint32_t bodies;  // 0: not a leaf
};

class octree {
 public:
  // A cube with at most so many bodies is not divided.
  static constexpr std::size_t bodies_of_a_leaf = 8;

  explicit octree(std::size_t bodies) : scratch_(bodies) {}

  // Puts the bodies into the order of the leaves, where bodies of a cube lie beside each other, and
  // builds the tree over them. It is serial.
  void build(std::span<body> bodies);

  // The acceleration of a body by all others. A node stands for its bodies if its side is less than
  // `opening` times its distance. It is out of line so that the parallel and the serial form run
  // the same machine code.
  [[nodiscard]] vector3 acceleration_at(const vector3& place, double opening) const;

  [[nodiscard]] std::span<const octree_node> nodes() const { return nodes_; }

 private:
  struct cube {
    vector3 middle;
    double half;
    unsigned depth;
  };

  void build(std::size_t first, std::size_t last, const cube& in);
  std::array<std::size_t, 9> sort_into_octants(std::size_t first, std::size_t last,
                                               const vector3& middle);

  std::span<body> bodies_;
  std::vector<body> scratch_;
  std::vector<octree_node> nodes_;
};

// What one body adds to the acceleration at a place at this distance. Close bodies attract each
// other less than they should, so that no step in time is too long for them ("softening"); a body
// does not attract itself, because its distance is zero.
inline vector3 attraction(const vector3& to, double mass) {
  constexpr double softening = 1e-4;
  const double squared = to.squared() + softening;
  return to * (mass / (squared * std::sqrt(squared)));
}

}  // namespace heist::workloads
