#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/matmul/square.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

class matmul_instance final : public instance {
 public:
  matmul_instance(std::size_t n, std::size_t base, std::uint64_t seed)
      : n_(n), base_(base), a_(random_matrix(n, seed)), b_(random_matrix(n, ~seed)), c_(n * n) {}

  void reset() override { std::fill(c_.begin(), c_.end(), 0.0); }
  void run_serial() override { multiply(view(a_), view(b_), result_view(), base_, serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how,
                   [&](auto fork) { multiply(view(a_), view(b_), result_view(), base_, fork); });
  }

  std::string result() const override { return fmt::format("{} x {} doubles", n_, n_); }

  std::uint64_t checksum() const override { return hash_of_elements(c_); }

  // This is Freivalds' check with one vector: a (b x) must be c x. Doubles represent all of these
  // values exactly.
  std::optional<std::string> mistake() const override {
    const auto x = random_vector(n_);
    if (times(a_, times(b_, x)) == times(c_, x)) return std::nullopt;
    return "the product of the matrices is wrong";
  }

  work_count work() const override {
    const auto n = static_cast<double>(n_);
    return {2 * n * n * n, "flops"};
  }

 private:
  constant_block view(const std::vector<double>& matrix) const {
    return {matrix.data(), n_, n_, n_};
  }
  result_block result_view() { return {c_.data(), n_, n_, n_}; }

  std::size_t n_;
  std::size_t base_;
  std::vector<double> a_, b_, c_;
};

class matmul_workload final : public workload {
 public:
  std::string_view name() const override { return "matmul"; }
  std::string_view summary() const override {
    return "multiplies matrices by recursive subdivision: regular, coarse, much arithmetic";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "regular blocks with much arithmetic",
            .source = "Frigo et al. 1999, section 2; document C, 256"};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = 1 << 24;
    return {integer_option("n", "rows and columns", 768, 1, most),
            integer_option("base", "longest side of a block that is not divided", 48, 1, most),
            integer_option("seed", "of the generated matrices", 1, 0, most)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto n = values.size("n");
    require_memory(fmt::format("matmul --n {}", n), saturating_product(n * n, 3 * sizeof(double)));
    return std::make_unique<matmul_instance>(n, values.size("base"), values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_matmul() { return std::make_unique<matmul_workload>(); }

}  // namespace heist::workloads

// ---- square.hpp

namespace heist::workloads {

std::vector<double> random_matrix(std::size_t n, std::uint64_t seed) {
  std::vector<double> matrix(n * n);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = static_cast<double>(random_at(seed, i) % 17) - 8;
  return matrix;
}

std::vector<double> random_vector(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(random_at(n, i) % 64);
  return x;
}

std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& x) {
  const auto n = x.size();
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) y[i] += matrix[i * n + j] * x[j];
  return y;
}

std::uint64_t hash_of_elements(const std::vector<double>& elements) {
  std::uint64_t hash = elements.size();
  for (const double value : elements) hash = mixed(hash ^ std::bit_cast<std::uint64_t>(value));
  return hash;
}

}  // namespace heist::workloads
