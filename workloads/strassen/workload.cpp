#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "workloads/constructs.hpp"
#include "workloads/matmul/square.hpp"
#include "workloads/memory.hpp"
#include "workloads/registry.hpp"
#include "workloads/strassen/strassen.hpp"

namespace heist::workloads {

namespace {

// The matrix with rows and columns of zeros after its own, up to the given side.
std::vector<double> padded(const std::vector<double>& matrix, std::size_t n, std::size_t side) {
  std::vector<double> wider(side * side);
  for (std::size_t i = 0; i < n; ++i)
    std::copy_n(matrix.data() + i * n, n, wider.data() + i * side);
  return wider;
}

class strassen_instance final : public instance {
 public:
  strassen_instance(std::size_t n, std::size_t cutoff, std::uint64_t seed)
      : n_(n),
        side_(strassen_side(n, cutoff)),
        cutoff_(cutoff),
        a_(padded(random_matrix(n, seed), n, side_)),
        b_(padded(random_matrix(n, ~seed), n, side_)),
        c_(side_ * side_) {}

  void reset() override { std::fill(c_.begin(), c_.end(), 0.0); }
  void run_serial() override { multiply_with(serially{}); }
  void run_with(const execution& how) override {
    run_with_forks(how, [&](auto fork) { multiply_with(fork); });
  }

  std::string result() const override { return fmt::format("{} x {} doubles", n_, n_); }
  std::uint64_t checksum() const override { return hash_of_elements(c_); }

  // Freivalds' check, as in matmul. The sums of quarters are whole numbers, too.
  std::optional<std::string> mistake() const override {
    const auto x = random_vector(side_);
    if (times(a_, times(b_, x)) == times(c_, x)) return std::nullopt;
    return "the product of the matrices is wrong";
  }

  // As many as a product by definition has, so that the time can be compared with matmul's.
  work_count work() const override {
    const auto n = static_cast<double>(n_);
    return {2 * n * n * n, "flops"};
  }

 private:
  template <class Fork>
  void multiply_with(Fork fork) {
    const constant_block a{a_.data(), side_, side_, side_};
    const constant_block b{b_.data(), side_, side_, side_};
    strassen(a, b, result_block{c_.data(), side_, side_, side_}, cutoff_, fork);
  }

  std::size_t n_;
  std::size_t side_;  // of the matrices with their zeros
  std::size_t cutoff_;
  std::vector<double> a_, b_, c_;
};

class strassen_workload final : public workload {
 public:
  std::string_view name() const override { return "strassen"; }
  std::string_view summary() const override {
    return "multiplies matrices by Strassen's seven products, each with room of its own";
  }

  profile describe() const override {
    return {.shape = "forks",
            .stresses = "forks of seven, and memory that every one of them allocates",
            .source = "Strassen 1969, in Winograd's form of 1971"};
  }
  std::vector<option_spec> options() const override {
    constexpr std::int64_t most = 1 << 20;
    return {integer_option("n", "rows and columns", 1000, 1, most),
            integer_option("cutoff", "rows from which on the blocked product is used", 64, 1, most),
            integer_option("seed", "of the generated matrices", 1, 0, std::int64_t{1} << 60)};
  }

  std::unique_ptr<instance> make(const option_values& values) const override {
    const auto n = values.size("n");
    const auto side = strassen_side(n, values.size("cutoff"));
    // Besides the three matrices: the rooms of the first call and of all seven below it.
    constexpr std::uint64_t quarters_of_room = strassen_room::matrices;
    constexpr std::uint64_t matrices = 3 + (quarters_of_room + 3) / 4 + 7 * quarters_of_room / 16;
    require_memory(fmt::format("strassen --n {}", n),
                   saturating_product(side * side, matrices * sizeof(double)));
    return std::make_unique<strassen_instance>(n, values.size("cutoff"), values.size("seed"));
  }
};

}  // namespace

std::unique_ptr<const workload> make_strassen() { return std::make_unique<strassen_workload>(); }

}  // namespace heist::workloads
