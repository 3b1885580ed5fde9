#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/heat/heat.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// A standing wave of the plate: sin(x k pi) sin(y l pi) for x and y from 0 to 1. A time step only
// multiplies it by its factor, the mean of two cosines, which is how the result is known.
class wave {
 public:
  wave(const plate& on, unsigned k, unsigned l)
      : across_(sines(on.width, k)), down_(sines(on.height, l)) {
    const auto cosine = [](std::size_t cells, unsigned times) {
      return std::cos(std::numbers::pi * times / static_cast<double>(cells + 1));
    };
    factor_ = (cosine(on.width, k) + cosine(on.height, l)) / 2;
  }

  // At a row and a column that count the border.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return down_[row] * across_[column];
  }
  [[nodiscard]] double factor() const { return factor_; }

 private:
  static std::vector<double> sines(std::size_t cells, unsigned times) {
    std::vector<double> of(cells + 2);  // both ends are the border
    for (std::size_t i = 1; i <= cells; ++i)
      of[i] = std::sin(std::numbers::pi * times * static_cast<double>(i) /
                       static_cast<double>(cells + 1));
    return of;
  }

  std::vector<double> across_, down_;
  double factor_;
};

class heat_instance final : public instance {
 public:
  heat_instance(const plate& on, std::size_t steps)
      : plate_(on),
        steps_(steps),
        slow_(on, 1, 1),
        fast_(on, 3, 2),
        first_(on.cells()),
        second_(on.cells()) {}

  // The plate starts as the sum of two waves.
  void reset() override {
    std::fill(first_.begin(), first_.end(), 0.0);
    std::fill(second_.begin(), second_.end(), 0.0);
    for (std::size_t row = 1; row <= plate_.height; ++row)
      for (std::size_t column = 1; column <= plate_.width; ++column)
        first_[row * plate_.stride() + column] = slow_.at(row, column) + fast_.at(row, column);
    now_ = first_;
  }

  void run_serial() override { spread(serially{}); }
  void run_with(const execution& how) override {
    run_with_loops(how, [&](auto fork) { spread(fork); });
  }

  std::string result() const override {
    const auto middle = plate_.height / 2 * plate_.stride() + plate_.width / 2;
    return fmt::format("{} steps of {} x {} cells; {:.6f} in the middle", steps_, plate_.width,
                       plate_.height, now_[middle + plate_.stride() + 1]);
  }

  std::uint64_t checksum() const override { return hash_of_bits(now_); }

  // Each step rounds each cell a few times, and the rounding errors don't grow from step to step.
  std::optional<std::string> mistake() const override {
    const auto steps = static_cast<double>(steps_);
    const double slow = std::pow(slow_.factor(), steps);
    const double fast = std::pow(fast_.factor(), steps);
    const double tolerance = 1e-15 * (steps + 100);
    for (std::size_t row = 1; row <= plate_.height; ++row)
      for (std::size_t column = 1; column <= plate_.width; ++column) {
        const double expected = slow * slow_.at(row, column) + fast * fast_.at(row, column);
        const double found = now_[row * plate_.stride() + column];
        if (!(std::abs(found - expected) <= tolerance))
          return fmt::format("the cell in row {}, column {} has {}, not {}", row - 1, column - 1,
                             found, expected);
      }
    return std::nullopt;
  }

  work_count work() const override {
    return {static_cast<double>(plate_.width) * static_cast<double>(plate_.height) *
                static_cast<double>(steps_),
            "cell updates"};
  }

 private:
  template <class Fork>
  void spread(Fork fork) {
    now_ = spread_heat(plate_, first_, second_, steps_, fork);
  }

  plate plate_;
  std::size_t steps_;
  wave slow_, fast_;
  std::vector<double> first_, second_;
  std::span<const double> now_ = first_;
};

class heat_workload final : public workload {
 public:
  std::string_view name() const override { return "heat"; }
  std::string_view summary() const override {
    return "spreads heat over a plate: equal rows in many short rounds";
  }
  profile describe() const override {
    return {.shape = "loops in rounds",
            .stresses = "beginning and ending loops; the same rows on the same worker",
            .source = "Jacobi's method; Demmel 1997, section 6.5.1",
            .has_only_loops = true};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = 1 << 24;
    return {integer_option("width", "cells in a row", 1024, 1, most),
            integer_option("height", "rows", 1024, 1, most),
            integer_option("steps", "in time", 200, 0, 1'000'000'000)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const plate on{values.size("width"), values.size("height")};
    require_memory(fmt::format("heat --width {} --height {}", on.width, on.height),
                   saturating_product(on.cells(), 2 * sizeof(double)));
    return std::make_unique<heat_instance>(on, values.size("steps"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_heat() { return std::make_unique<heat_workload>(); }

}  // namespace heist::workloads
