#include "workloads/particles/particles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "workloads/hashing.hpp"

namespace heist::workloads {

namespace {

// Brings a coordinate back into [0, side).
double wrapped(double at, double side) {
  if (at >= 0 && at < side) return at;
  at -= side * std::floor(at / side);
  return at < side ? at : 0;  // a tiny negative number was rounded to the side
}

}  // namespace

particle_grid::particle_grid(std::size_t side, std::vector<particle> particles)
    : side_(side),
      particles_(std::move(particles)),
      moved_(particles_.size()),
      first_(side * side + 1),
      next_(side * side + 1) {
  sort_into_cells();
}

void particle_grid::set(const std::vector<particle>& particles) {
  particles_ = particles;
  sort_into_cells();
}

std::size_t particle_grid::cell_of(const particle& p) const {
  return static_cast<std::size_t>(p.y) * side_ + static_cast<std::size_t>(p.x);
}

// Two particles push each other with the same force, so that the sum of all velocities stays.
void particle_grid::move_cell(std::size_t cell) {
  constexpr double strength = 1e-8;
  constexpr double softening = 1e-3;
  const std::size_t count = particles_in(cell);
  particle* const all = particles_.data() + first_[cell];
  for (std::size_t i = 0; i < count; ++i) {
    const double x = all[i].x;
    const double y = all[i].y;
    double vx = all[i].vx;
    double vy = all[i].vy;
    for (std::size_t j = i + 1; j < count; ++j) {
      const double dx = x - all[j].x;
      const double dy = y - all[j].y;
      const double squared = dx * dx + dy * dy + softening;
      const double push = strength / (squared * squared);
      vx += push * dx;
      vy += push * dy;
      all[j].vx -= push * dx;
      all[j].vy -= push * dy;
    }
    all[i].vx = vx;
    all[i].vy = vy;
  }
  const auto side = static_cast<double>(side_);
  for (std::size_t i = 0; i < count; ++i) {
    all[i].x = wrapped(all[i].x + all[i].vx, side);
    all[i].y = wrapped(all[i].y + all[i].vy, side);
  }
}

void particle_grid::sort_into_cells() {
  std::fill(first_.begin(), first_.end(), 0U);
  for (const auto& each : particles_) ++first_[cell_of(each) + 1];
  std::inclusive_scan(first_.begin(), first_.end(), first_.begin());
  next_ = first_;
  for (const auto& each : particles_) moved_[next_[cell_of(each)]++] = each;
  std::swap(particles_, moved_);
}

std::vector<particle> make_swarm(std::size_t count, std::size_t side, unsigned percent,
                                 std::uint64_t seed) {
  constexpr double speed_of_swarm = 0.1;
  constexpr double speed_of_others = 0.02;
  const auto extent = static_cast<double>(side);
  std::vector<particle> particles(count);
  for (std::size_t i = 0; i < count; ++i) {
    // The sum of two uniform numbers is more often in the middle, at 0, than far from it.
    const auto around = [&](std::uint64_t number) {
      return unit_interval(random_at(seed + number, i)) +
             unit_interval(random_at(seed + number + 1, i)) - 1;
    };
    if (i * 100 < count * percent) {
      particles[i] = {wrapped(extent / 2 + around(0) * extent / 8, extent),
                      wrapped(extent / 4 + around(2) * extent / 8, extent), 0.01 * around(4),
                      speed_of_swarm + 0.01 * around(6)};
    } else {
      particles[i] = {extent * unit_interval(random_at(seed, i)),
                      extent * unit_interval(random_at(seed + 1, i)), speed_of_others * around(2),
                      speed_of_others * around(4)};
    }
  }
  return particles;
}

}  // namespace heist::workloads
