#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/mesh/mesh.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

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
