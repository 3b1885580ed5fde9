#include <vector>

#include <fmt/format.h>

#include "workloads/cholesky/cholesky.hpp"
#include "workloads/constructs.hpp"
#include "workloads/hashing.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"

namespace heist::workloads {

namespace {

// The lower triangle of a symmetric matrix; the rest is zero. The elements outside the diagonal are
// between -1 and 1, and the diagonal is larger than a row of them, so it is positive definite.
std::vector<double> positive_definite_matrix(std::size_t n, std::uint64_t seed) {
  std::vector<double> matrix(n * n);
  for (std::size_t column = 0; column < n; ++column) {
    for (std::size_t row = column + 1; row < n; ++row)
      matrix[column * n + row] = 2 * unit_interval(random_at(seed, column * n + row)) - 1;
    matrix[column * n + column] = static_cast<double>(n);
  }
  return matrix;
}

enum class factoring { recursively, by_tiles };

class cholesky_instance final : public instance {
 public:
  cholesky_instance(std::size_t n, std::size_t base, factoring form, std::uint64_t seed)
      : n_(n), base_(base), form_(form), input_(positive_definite_matrix(n, seed)) {
    reset();
  }

  void reset() override { factor_ = input_; }
  void run_serial() override { factorise(serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { factorise(fork); });
  }

  std::string result() const override {
    return fmt::format("{} x {} doubles; the last on the diagonal is {:.6f}", n_, n_,
                       factor_.back());
  }
  std::uint64_t checksum() const override { return hash_of_bits(factor_); }

  // Compares L (L^T x) with A x for some vectors x of ones and minus ones. The elements of A x are
  // about n, and the rounding errors of a sum of n terms stay far below this tolerance.
  std::optional<std::string> mistake() const override {
    const auto n = static_cast<double>(n_);
    const double tolerance = 1e-14 * n * (n + 10);
    for (std::uint64_t number = 0; number < 3; ++number) {
      std::vector<double> x(n_);
      for (std::size_t i = 0; i < n_; ++i) x[i] = (random_at(number, i) & 1) != 0 ? 1 : -1;
      const auto expected =
          add(add(below_diagonal(input_, x), on_diagonal(input_, x)), above_diagonal(input_, x));
      const auto y = add(above_diagonal(factor_, x), on_diagonal(factor_, x));
      const auto found = add(below_diagonal(factor_, y), on_diagonal(factor_, y));
      for (std::size_t i = 0; i < n_; ++i)
        if (!(std::abs(found[i] - expected[i]) <= tolerance))
          return fmt::format("L L^T x has {} in row {}, and A x has {}", found[i], i, expected[i]);
    }
    return std::nullopt;
  }

  work_count work() const override {
    const auto n = static_cast<double>(n_);
    return {n * n * n / 3, "flops"};
  }

 private:
  using vector = std::vector<double>;

  template <class Fork>
  void factorise(Fork fork) {
    const column_block all{factor_.data(), n_, n_, n_};
    if (form_ == factoring::by_tiles)
      factor_by_tiles(all, base_, fork);
    else
      factor_recursively(all, base_, fork);
  }

  // The products of a vector with three parts of a symmetric or triangular matrix: what is below
  // the diagonal, its transpose, and the diagonal.
  [[nodiscard]] vector below_diagonal(const vector& matrix, const vector& x) const {
    vector y(n_);
    for (std::size_t column = 0; column < n_; ++column)
      for (std::size_t row = column + 1; row < n_; ++row)
        y[row] += matrix[column * n_ + row] * x[column];
    return y;
  }
  [[nodiscard]] vector above_diagonal(const vector& matrix, const vector& x) const {
    vector y(n_);
    for (std::size_t column = 0; column < n_; ++column)
      for (std::size_t row = column + 1; row < n_; ++row)
        y[column] += matrix[column * n_ + row] * x[row];
    return y;
  }
  [[nodiscard]] vector on_diagonal(const vector& matrix, const vector& x) const {
    vector y(n_);
    for (std::size_t i = 0; i < n_; ++i) y[i] = matrix[i * n_ + i] * x[i];
    return y;
  }
  static vector add(vector a, const vector& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  }

  std::size_t n_;
  std::size_t base_;
  factoring form_;
  vector input_;
  vector factor_;
};

class cholesky_workload final : public workload {
 public:
  std::string_view name() const override { return "cholesky"; }
  std::string_view summary() const override {
    return "factorises a symmetric matrix, recursively or tile by tile in rounds";
  }
  profile describe() const override {
    return {.shape = "forks, or loops in rounds",
            .stresses = "steps that wait for each other; rounds that get shorter",
            .source = "Gustavson 1997; Buttari et al. 2009"};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = 1 << 24;
    return {
        integer_option("n", "rows and columns", 1536, 1, most),
        integer_option("base", "side of a tile, or of a block that is not divided", 64, 1, most),
        choice_option("form", "of the algorithm", "recursive", {"recursive", "tiled"}),
        integer_option("seed", "of the generated matrix", 1, 0, INT64_MAX)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto n = values.size("n");
    require_memory(fmt::format("cholesky --n {}", n),
                   saturating_product(n * n, 2 * sizeof(double)));
    const auto form = values.text("form") == "tiled" ? factoring::by_tiles : factoring::recursively;
    return std::make_unique<cholesky_instance>(n, values.size("base"), form, values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_cholesky() { return std::make_unique<cholesky_workload>(); }

}  // namespace heist::workloads
