#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/particles/particles.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class particles_instance final : public instance {
 public:
  particles_instance(std::vector<particle> input, std::size_t side, std::size_t steps)
      : steps_(steps), input_(std::move(input)), grid_(side, input_) {}

  void reset() override { grid_.set(input_); }
  void run_serial() override { move_particles(grid_, steps_, serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { move_particles(grid_, steps_, fork); });
  }

  std::string result() const override {
    std::size_t fullest = 0;
    for (std::size_t cell = 0; cell < grid_.cells(); ++cell)
      fullest = std::max(fullest, grid_.particles_in(cell));
    return fmt::format("{} particles in {} cells, {} steps; {} in the fullest cell", input_.size(),
                       grid_.cells(), steps_, fullest);
  }

  std::uint64_t checksum() const override {
    std::vector<double> numbers;
    numbers.reserve(input_.size() * 4);
    for (const auto& each : grid_.particles())
      numbers.insert(numbers.end(), {each.x, each.y, each.vx, each.vy});
    return hash_of_bits(numbers);
  }

  // Pushes are equal and opposite, so the sum of the velocities stays; and every particle is in the
  // cell where it is counted.
  std::optional<std::string> mistake() const override {
    double vx = 0;
    double vy = 0;
    for (const auto& each : input_) {
      vx += each.vx;
      vy += each.vy;
    }
    std::size_t at = 0;
    for (std::size_t cell = 0; cell < grid_.cells(); ++cell)
      for (std::size_t i = 0; i < grid_.particles_in(cell); ++i, ++at) {
        const auto& each = grid_.particles()[at];
        if (!is_in(each.x, cell % grid_.side()) || !is_in(each.y, cell / grid_.side()))
          return fmt::format("a particle at {}, {} is in cell {}", each.x, each.y, cell);
        vx -= each.vx;
        vy -= each.vy;
      }
    if (at != input_.size()) return fmt::format("{} particles of {}", at, input_.size());
    const double tolerance = 1e-12 * static_cast<double>(input_.size());
    if (!(std::abs(vx) <= tolerance && std::abs(vy) <= tolerance))
      return fmt::format("the sum of the velocities has changed by {:.3g}, {:.3g}", vx, vy);
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(input_.size()) * static_cast<double>(steps_), "moves"};
  }

 private:
  static bool is_in(double at, std::size_t cell) {
    return static_cast<double>(cell) <= at && at < static_cast<double>(cell + 1);
  }

  std::size_t steps_;
  std::vector<particle> input_;
  particle_grid grid_;
};

class particles_workload final : public workload {
 public:
  std::string_view name() const override { return "particles"; }
  std::string_view summary() const override {
    return "moves a swarm of particles: the expensive cells drift from step to step";
  }
  profile describe() const override {
    return {.shape = "loops in rounds, with a serial part",
            .stresses = "a balance that changes slowly from round to round",
            .source = "Hockney and Eastwood 1988, section 8.4, within cells only",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("particles", "in the square", 40'000, 0, 1 << 28),
            integer_option("side", "cells of a row; there are as many rows", 64, 1, 1 << 14),
            integer_option("steps", "in time", 30, 0, 1'000'000'000),
            integer_option("swarm", "so many of a hundred particles fly together", 60, 0, 100),
            integer_option("seed", "of the generated particles", 1, 0, INT64_MAX)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto particles = values.size("particles");
    const auto side = values.size("side");
    require_memory(fmt::format("particles --particles {} --side {}", particles, side),
                   particles * 3 * sizeof(particle) + side * side * 2 * sizeof(std::size_t));
    return std::make_unique<particles_instance>(
        make_swarm(particles, side, static_cast<unsigned>(values.integer("swarm")),
                   values.size("seed")),
        side, values.size("steps"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_particles() { return std::make_unique<particles_workload>(); }

}  // namespace heist::workloads

// ---- particles.hpp

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
