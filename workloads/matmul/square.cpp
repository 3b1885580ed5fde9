#include "workloads/matmul/square.hpp"

#include <bit>

#include "workloads/hashing.hpp"

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
