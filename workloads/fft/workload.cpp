#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/fft/fft.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

using complex_numbers = std::vector<complex_number>;

// Both parts of every value are uniform in [-1, 1).
complex_numbers random_signal(std::size_t size, std::uint64_t seed) {
  const auto uniform = [seed](std::size_t i) {
    return static_cast<double>(random_at(seed, i) >> 11) * 0x1p-52 - 1;
  };
  complex_numbers signal(size);
  for (std::size_t i = 0; i < size; ++i) signal[i] = {uniform(2 * i), uniform(2 * i + 1)};
  return signal;
}

double energy(const complex_numbers& values) {
  double sum = 0;
  for (const auto& each : values) sum += each.re * each.re + each.im * each.im;
  return sum;
}

// One value of the transform, by its definition.
complex_number transformed_at(const complex_numbers& signal, std::size_t k) {
  const auto size = signal.size();
  complex_number sum;
  for (std::size_t j = 0; j < size; ++j) {
    const auto turn = static_cast<double>(j * k % size) / static_cast<double>(size);
    const double angle = -2 * std::numbers::pi * turn;
    sum = sum + signal[j] * complex_number{std::cos(angle), std::sin(angle)};
  }
  return sum;
}

class fft_instance final : public instance {
 public:
  fft_instance(std::size_t size, std::size_t cutoff, std::uint64_t seed)
      : cutoff_(cutoff),
        tables_(size),
        input_(random_signal(size, seed)),
        values_(input_),
        room_(size) {}

  void reset() override { values_ = input_; }
  void run_serial() override { transform(serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { transform(fork); });
  }

  std::string result() const override { return fmt::format("{} complex numbers", values_.size()); }

  std::uint64_t checksum() const override {
    std::uint64_t hash = values_.size();
    for (const auto& each : values_) {
      hash = mixed(hash ^ std::bit_cast<std::uint64_t>(each.re));
      hash = mixed(hash ^ std::bit_cast<std::uint64_t>(each.im));
    }
    return hash;
  }

  // Parseval's theorem sees an error in any value. The definition, at two places, sees values that
  // are right but elsewhere.
  std::optional<std::string> mistake() const override {
    const auto size = static_cast<double>(values_.size());
    const double expected = energy(input_) * size;
    if (!(std::abs(energy(values_) - expected) <= 1e-10 * expected))
      return fmt::format("the energy is {}, not {}", energy(values_), expected);
    for (std::uint64_t round = 0; round < 2; ++round) {
      const auto k = static_cast<std::size_t>(random_at(round, 0)) % values_.size();
      const auto error = transformed_at(input_, k) - values_[k];
      if (!(std::hypot(error.re, error.im) <= 1e-9 * std::sqrt(size)))
        return fmt::format("value {} of the transform is wrong", k);
    }
    return std::nullopt;
  }

  work_count work() const override {
    const auto size = static_cast<double>(values_.size());
    return {5 * size * std::log2(size), "flops"};  // as is usual for transforms of any kind
  }

 private:
  template <class Fork>
  void transform(Fork fork) {
    fft(std::span(values_), std::span(room_), tables_, 0, cutoff_, fork);
  }

  std::size_t cutoff_;
  fft_tables tables_;
  complex_numbers input_, values_, room_;
};

class fft_workload final : public workload {
 public:
  std::string_view name() const override { return "fft"; }
  std::string_view summary() const override {
    return "transforms complex numbers by recursive quarters: little arithmetic, much memory";
  }

  profile describe() const override {
    return {.shape = "forks and loops",
            .stresses = "forks of four between loops over memory",
            .source = "Cooley, Tukey 1965; fft of the Cilk distribution"};
  }
  std::vector<option_spec> options() const override {
    return {integer_option("log-size", "two to this power is the number of values", 22, 0, 40),
            integer_option("cutoff", "values from which on nothing is forked", 4096, 1,
                           std::int64_t{1} << 40),
            integer_option("seed", "of the generated values", 1, 0, std::int64_t{1} << 60)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto log_size = values.integer("log-size");
    const auto size = std::size_t{1} << log_size;
    constexpr std::uint64_t copies = 4;  // the input, the values, the room, and the factors
    require_memory(fmt::format("fft --log-size {}", log_size),
                   saturating_product(size, copies * sizeof(complex_number)));
    return std::make_unique<fft_instance>(size, values.size("cutoff"), values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_fft() { return std::make_unique<fft_workload>(); }

}  // namespace heist::workloads
