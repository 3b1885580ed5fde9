// Particles in a square whose opposite sides are joined. It is divided into cells, and particles of
// the same cell repel each other, so a cell costs as much as the square of the number of particles
// in it. Many of them fly together in a swarm: the expensive cells lie beside each other and move
// on from step to step. A loop that is divided before it begins gets unbalanced; one that is
// divided as the step before was balanced is nearly right, because the swarm moves slowly.
//
// Each step is a parallel loop over the cells, then a serial counting sort of the particles by
// their new cells, which takes a time proportional to their number.
//
// Cells as in R. Hockney, J. Eastwood: Computer Simulation Using Particles (1988), section 8.4;
// unlike there, a particle does not feel the neighbouring cells, because the program is there for
// its balance.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "workloads/forkers.hpp"

namespace heist::workloads {

struct particle {
  double x, y;    // in cells
  double vx, vy;  // per step
};

// The square has side x side cells.
class particle_grid {
 public:
  particle_grid(std::size_t side, std::vector<particle> particles);

  [[nodiscard]] std::size_t side() const { return side_; }
  [[nodiscard]] std::size_t cells() const { return side_ * side_; }
  // Cell after cell, row after row.
  [[nodiscard]] const std::vector<particle>& particles() const { return particles_; }
  [[nodiscard]] std::size_t particles_in(std::size_t cell) const {
    return first_[cell + 1] - first_[cell];
  }

  void set(const std::vector<particle>& particles);

  // Pushes the particles of a cell away from each other, and moves them. They remain in the cell's
  // part of the array. It is out of line so that the parallel and the serial form run the same
  // machine code.
  void move_cell(std::size_t cell);

  // Puts all particles into the cells where they are now; those of a cell keep their order.
  void sort_into_cells();

 private:
  [[nodiscard]] std::size_t cell_of(const particle& p) const;

  std::size_t side_;
  std::vector<particle> particles_;
  std::vector<particle> moved_;
  std::vector<std::size_t> first_;  // particle of each cell, and the end
  std::vector<std::size_t> next_;
};

template <class Fork>
void move_particles(particle_grid& grid, std::size_t steps, Fork fork) {
  constexpr std::size_t grain = 8;
  for (std::size_t step = 0; step < steps; ++step) {
    fork.loop(grid.cells(), grain, [&grid](std::size_t cell) { grid.move_cell(cell); });
    grid.sort_into_cells();
  }
}

// Particles of which so many in a hundred fly in a swarm, whose width is about an eighth of the
// square; the others are anywhere, and slow.
[[nodiscard]] std::vector<particle> make_swarm(std::size_t count, std::size_t side,
                                               unsigned percent, std::uint64_t seed);

}  // namespace heist::workloads
