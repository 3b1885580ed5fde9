#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/lu/lu.hpp"
#include "workloads/matmul/square.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// Each element of the diagonal is greater than the sum of the others in its row, which are at most
// eight.
std::vector<double> dominant_matrix(std::size_t n, std::uint64_t seed) {
  auto matrix = random_matrix(n, seed);
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = 8.5 * static_cast<double>(n);
  return matrix;
}

// L U x, where L and U share one matrix.
std::vector<double> times_factors(const std::vector<double>& both, const std::vector<double>& x) {
  const auto n = x.size();
  std::vector<double> ux(n);
  std::vector<double> lux(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j) ux[i] += both[i * n + j] * x[j];
  for (std::size_t i = 0; i < n; ++i) {
    lux[i] = ux[i];
    for (std::size_t j = 0; j < i; ++j) lux[i] += both[i * n + j] * ux[j];
  }
  return lux;
}

class lu_instance final : public instance {
 public:
  lu_instance(std::size_t n, std::size_t base, std::uint64_t seed)
      : n_(n), base_(base), input_(dominant_matrix(n, seed)), matrix_(input_) {}

  void reset() override { matrix_ = input_; }
  void run_serial() override { decompose(view(), base_, serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { decompose(view(), base_, fork); });
  }

  std::string result() const override { return fmt::format("{} x {} doubles", n_, n_); }
  std::uint64_t checksum() const override { return hash_of_elements(matrix_); }

  // L U x must be what the input's product with x is, for a few random vectors. The diagonal keeps
  // the factors small, so an element's error is n roundings of the greatest number in its sum, at
  // most.
  std::optional<std::string> mistake() const override {
    const auto n = static_cast<double>(n_);
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::vector<double> x(n_);
      for (std::size_t i = 0; i < n_; ++i)
        x[i] = static_cast<double>(random_at(round, i) % 64) - 32;
      const auto expected = times(input_, x);
      const auto product = times_factors(matrix_, x);
      const double tolerance = 4 * n * std::numeric_limits<double>::epsilon() * 32 * (16 * n);
      for (std::size_t i = 0; i < n_; ++i)
        if (!(std::abs(expected[i] - product[i]) <= tolerance))
          return fmt::format("row {} of L U x is {}, and that of A x is {}", i, product[i],
                             expected[i]);
    }
    return std::nullopt;
  }

  work_count work() const override {
    const auto n = static_cast<double>(n_);
    return {2 * n * n * n / 3, "flops"};
  }

 private:
  result_block view() { return {matrix_.data(), n_, n_, n_}; }

  std::size_t n_;
  std::size_t base_;
  std::vector<double> input_, matrix_;
};

class lu_workload final : public workload {
 public:
  std::string_view name() const override { return "lu"; }
  std::string_view summary() const override {
    return "decomposes a matrix into triangles by recursive halves, one after another";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "a long chain of joins, between which the work shrinks",
            .source = "lu of the Cilk distribution; Toledo 1997"};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = 1 << 24;
    return {integer_option("n", "rows and columns", 1000, 1, most),
            integer_option("base", "longest side of a block that is not divided", 48, 1, most),
            integer_option("seed", "of the generated matrix", 1, 0, std::int64_t{1} << 60)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto n = values.size("n");
    require_memory(fmt::format("lu --n {}", n), saturating_product(n * n, 2 * sizeof(double)));
    return std::make_unique<lu_instance>(n, values.size("base"), values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_lu() { return std::make_unique<lu_workload>(); }

}  // namespace heist::workloads
