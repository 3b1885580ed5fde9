#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/mesh/mesh.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

constexpr double heat_of_source = 1;  // the temperature that it gives to the cells under it
constexpr double radius = 0.4;        // of the source, in patches
constexpr double steps_a_turn = 240;  // of the source, around the square's middle

}  // namespace

adaptive_mesh::adaptive_mesh(std::size_t side) : side_(side), patches_(side * side) { reset(); }

void adaptive_mesh::reset() {
  step_ = 0;
  x_ = static_cast<double>(side_) * 0.75;
  y_ = static_cast<double>(side_) * 0.5;
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    patch_grid& each = patches_[i];
    each.level = wanted_level(i);
    each.cells.assign(side_of(each.level) * side_of(each.level), 0.0);
    each.next = each.cells;
    each.mean = each.next_mean = 0;
  }
}

double adaptive_mesh::cost_of(std::size_t patch) const {
  const unsigned level = patches_[patch].level;
  return static_cast<double>(side_of(level) * side_of(level) << level);
}

// Outside of the square it is cold.
double adaptive_mesh::mean_of(std::size_t patch, int right, int down) const {
  const auto column = static_cast<std::ptrdiff_t>(patch % side_) + right;
  const auto row = static_cast<std::ptrdiff_t>(patch / side_) + down;
  const auto side = static_cast<std::ptrdiff_t>(side_);
  if (column < 0 || row < 0 || column >= side || row >= side) return 0;
  return patches_[static_cast<std::size_t>(row * side + column)].mean;
}

void adaptive_mesh::relax(std::size_t at) {
  patch_grid& mine = patches_[at];
  const std::size_t n = side_of(mine.level);
  const double left = mean_of(at, -1, 0);
  const double right = mean_of(at, 1, 0);
  const double above = mean_of(at, 0, -1);
  const double below = mean_of(at, 0, 1);
  const double x = (x_ - static_cast<double>(at % side_)) * static_cast<double>(n);
  const double y = (y_ - static_cast<double>(at / side_)) * static_cast<double>(n);
  const double reach = radius * static_cast<double>(n);
  for (unsigned part = 0; part < 1U << mine.level; ++part) {
    for (std::size_t row = 0; row < n; ++row) {
      const double* const here = &mine.cells[row * n];
      const double dy = static_cast<double>(row) + 0.5 - y;
      for (std::size_t column = 0; column < n; ++column) {
        const double sum =
            (column > 0 ? here[column - 1] : left) + (column + 1 < n ? here[column + 1] : right) +
            (row > 0 ? *(here + column - n) : above) + (row + 1 < n ? here[column + n] : below);
        const double dx = static_cast<double>(column) + 0.5 - x;
        const bool is_heated = dx * dx + dy * dy < reach * reach;
        mine.next[row * n + column] = is_heated ? heat_of_source : 0.5 * here[column] + 0.125 * sum;
      }
    }
    std::swap(mine.cells, mine.next);
  }
  mine.next_mean = std::accumulate(mine.cells.begin(), mine.cells.end(), 0.0) /
                   static_cast<double>(mine.cells.size());
}

void adaptive_mesh::end_step() {
  for (patch_grid& each : patches_) each.mean = each.next_mean;
  const double angle = 2 * std::numbers::pi * static_cast<double>(++step_) / steps_a_turn;
  const auto extent = static_cast<double>(side_);
  x_ = extent * (0.5 + 0.25 * std::cos(angle));
  y_ = extent * (0.5 + 0.25 * std::sin(angle));
  if (step_ % steps_a_mesh != 0) return;
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    const unsigned level = wanted_level(i);
    if (level != patches_[i].level) refit(patches_[i], level);
  }
}

// A level less for each patch that the source is away, from one on.
unsigned adaptive_mesh::wanted_level(std::size_t patch) const {
  const double dx = static_cast<double>(patch % side_) + 0.5 - x_;
  const double dy = static_cast<double>(patch / side_) + 0.5 - y_;
  const auto away = static_cast<unsigned>(std::sqrt(dx * dx + dy * dy));
  return finest - std::min(away, finest);
}

// A fine cell takes the temperature of the coarse one in which it lies, a coarse one the mean of
// the fine ones.
void adaptive_mesh::refit(patch_grid& of, unsigned level) {
  const std::size_t from = side_of(of.level);
  const std::size_t to = side_of(level);
  std::vector<double> cells(to * to);
  if (to > from) {
    const std::size_t times = to / from;
    for (std::size_t i = 0; i < cells.size(); ++i)
      cells[i] = of.cells[i / to / times * from + i % to / times];
  } else {
    const std::size_t times = from / to;
    for (std::size_t i = 0; i < of.cells.size(); ++i)
      cells[i / from / times * to + i % from / times] +=
          of.cells[i] / static_cast<double>(times * times);
  }
  of.level = level;
  of.cells = std::move(cells);
  of.next = of.cells;
}

namespace {

class mesh_instance final : public instance {
 public:
  mesh_instance(std::size_t side, std::size_t steps) : steps_(steps), mesh_(side) {}

  void reset() override { mesh_.reset(); }
  void run_serial() override { run_steps(mesh_, steps_, serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { run_steps(mesh_, steps_, fork); });
  }

  std::string result() const override {
    std::size_t cells = 0;
    std::size_t fine = 0;
    for (std::size_t i = 0; i < mesh_.patches(); ++i) {
      cells += mesh_.cells_of(i).size();
      fine += mesh_.level_of(i) == adaptive_mesh::finest;
    }
    return fmt::format("{} cells in {} patches, of which {} are finest, after {} steps", cells,
                       mesh_.patches(), fine, steps_);
  }

  std::uint64_t checksum() const override {
    std::vector<double> all;
    for (std::size_t i = 0; i < mesh_.patches(); ++i)
      all.insert(all.end(), mesh_.cells_of(i).begin(), mesh_.cells_of(i).end());
    return hash_of_bits(all);
  }

  // Nothing is colder than the border or hotter than the source.
  std::optional<std::string> mistake() const override {
    for (std::size_t i = 0; i < mesh_.patches(); ++i)
      for (const double each : mesh_.cells_of(i))
        if (!(each >= 0 && each <= 1 + 1e-9))
          return fmt::format("a temperature of {:.6g} in patch {}", each, i);
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(mesh_.patches()) * static_cast<double>(steps_), "patch steps"};
  }

 private:
  std::size_t steps_;
  adaptive_mesh mesh_;
};

class mesh_workload final : public workload {
 public:
  std::string_view name() const override { return "mesh"; }
  std::string_view summary() const override {
    return "heat on an adaptive mesh: the fine patches follow the source, from step to step";
  }
  profile describe() const override {
    return {.shape = "loops in rounds, with a serial part",
            .stresses = "a few iterations that cost 512 times as much as others, and move",
            .source = "Berger and Colella 1989, with a simpler exchange between patches",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("side", "patches of a row; there are as many rows", 16, 1, 1 << 12),
            integer_option("steps", "in time", 240, 0, 1'000'000'000)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto side = values.size("side");
    // A few dozen patches are fine.
    constexpr std::size_t coarse = adaptive_mesh::coarse_side * adaptive_mesh::coarse_side;
    require_memory(
        fmt::format("mesh --side {}", side),
        (side * side + (36U << 2 * adaptive_mesh::finest)) * coarse * 2 * sizeof(double));
    return std::make_unique<mesh_instance>(side, values.size("steps"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_mesh() { return std::make_unique<mesh_workload>(); }

}  // namespace heist::workloads
