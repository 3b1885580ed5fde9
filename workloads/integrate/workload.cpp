#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/integrate/integrate.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// A narrow peak at an odd place, so that most pieces are in a small part of the axis.
struct peak {
  static constexpr double begin = 0;
  static constexpr double end = 1;
  static constexpr double place = 0.3;
  static constexpr double width = 0.001;

  constexpr double operator()(double x) const {
    return 1 / ((x - place) * (x - place) + width * width);
  }
  static double integral() {
    return (std::atan((end - place) / width) - std::atan((begin - place) / width)) / width;
  }
};

// Pieces become smaller slowly from left to right.
struct cubic {
  static constexpr double begin = 0;
  static constexpr double end = 1000;

  constexpr double operator()(double x) const { return (x * x + 1) * x; }
  static double integral() { return end * end * end * end / 4 + end * end / 2; }
};

template <class Function>
class integrate_instance final : public instance {
 public:
  explicit integrate_instance(std::int64_t digits)
      : tolerance_(Function::integral() * std::pow(10.0, -static_cast<double>(digits))) {}

  void reset() override { value_ = 0; }
  void run_serial() override {
    value_ = integrate_serially(Function{}, whole(), tolerance_, most_halvings);
  }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) {
      value_ = integrate(Function{}, whole(), tolerance_, most_halvings, fork);
    });
  }

  std::string result() const override { return fmt::format("integral {:.12g}", value_); }
  std::uint64_t checksum() const override { return std::bit_cast<std::uint64_t>(value_); }

  // The sums of millions of areas have some rounding besides the tolerance.
  std::optional<std::string> mistake() const override {
    const double known = Function::integral();
    if (std::abs(value_ - known) <= tolerance_ + 1e-13 * known) return std::nullopt;
    return fmt::format("the integral is {:.17g}, not {:.17g}", known, value_);
  }

 private:
  static integral_piece whole() {
    constexpr Function f;
    return {f.begin, f.end, f(f.begin), f(f.end)};
  }

  double tolerance_;
  double value_ = 0;
};

class integrate_workload final : public workload {
 public:
  std::string_view name() const override { return "integrate"; }
  std::string_view summary() const override {
    return "integrates a function in pieces that are halved where it needs them: tiny forks";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "forks of a few additions in an irregular tree",
            .source = "McKeeman 1962, with the trapezoid rule"};
  }
  std::vector<option_spec> options() const override {
    return {choice_option("function", "to be integrated", "peak", {"peak", "cubic"}),
            integer_option("digits", "of the integral that shall be right", 11, 4, 14)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto digits = values.integer("digits");
    if (values.text("function") == "cubic")
      return std::make_unique<integrate_instance<cubic>>(digits);
    return std::make_unique<integrate_instance<peak>>(digits);
  }
};

}  // namespace

std::unique_ptr<const workload> make_integrate() { return std::make_unique<integrate_workload>(); }

}  // namespace heist::workloads
