// Heat on a square that is divided into patches, each a grid of its own, as fine as it must be. A
// source of heat moves on a circle. Patches near it are refined, those that it has left are made
// coarse again, so a few patches cost hundreds of times as much as the others, and from step to
// step they are nearly the same ones.
//
// Each step is a parallel loop over the patches, of which each reads of its four neighbours only
// the mean temperatures of the step before; then, every few steps, a serial pass that refines and
// coarsens.
//
// Source: M. Berger, P. Colella: Local adaptive mesh refinement for shock hydrodynamics, Journal of
// Computational Physics 82 (1989), for patches of different resolution with shorter steps on the
// finer ones. The exchange between patches is simpler here: by their means.
#pragma once

#include <cstddef>
#include <vector>

#include "workloads/forkers.hpp"

namespace heist::workloads {

class adaptive_mesh {
 public:
  static constexpr unsigned finest = 3;           // level; 0 is the coarsest
  static constexpr std::size_t coarse_side = 8;   // cells in a row of a patch of level 0
  static constexpr std::size_t steps_a_mesh = 4;  // from one refinement to the next

  // side x side patches, all cold.
  explicit adaptive_mesh(std::size_t side);

  [[nodiscard]] std::size_t patches() const { return patches_.size(); }
  [[nodiscard]] unsigned level_of(std::size_t patch) const { return patches_[patch].level; }
  // Cells in a row of a patch of that level.
  [[nodiscard]] static constexpr std::size_t side_of(unsigned level) {
    return coarse_side << level;
  }
  // How many cells a step of the patch computes: it is known before, as the level is.
  [[nodiscard]] double cost_of(std::size_t patch) const;
  // The temperatures of a patch's cells, row after row.
  [[nodiscard]] const std::vector<double>& cells_of(std::size_t patch) const {
    return patches_[patch].cells;
  }

  void reset();
  // One step of one patch: 2^level shorter ones. It is out of line so that the parallel and the
  // serial form run the same machine code.
  void relax(std::size_t patch);
  // What the neighbours see in the next step is what is there now; and the source moves on.
  void end_step();

 private:
  struct patch_grid {
    unsigned level = 0;
    std::vector<double> cells, next;
    double mean = 0;       // at the end of the step before
    double next_mean = 0;  // at the end of this one
  };

  [[nodiscard]] double mean_of(std::size_t patch, int right, int down) const;
  [[nodiscard]] unsigned wanted_level(std::size_t patch) const;
  void refit(patch_grid& of, unsigned level);

  std::size_t side_;
  std::size_t step_ = 0;
  double x_ = 0, y_ = 0;  // of the source, in patches
  std::vector<patch_grid> patches_;
};

template <class Fork>
void run_steps(adaptive_mesh& mesh, std::size_t steps, const Fork& fork) {
  for (std::size_t step = 0; step < steps; ++step) {
    fork.loop(mesh.patches(), 1, [&mesh](std::size_t patch) { mesh.relax(patch); });
    mesh.end_step();
  }
}

}  // namespace heist::workloads
