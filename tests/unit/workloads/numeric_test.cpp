// Strassen's product, LU decomposition and the Fourier transform.
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/cholesky/cholesky.hpp"
#include "workloads/fft/fft.hpp"
#include "workloads/hashing.hpp"
#include "workloads/lu/lu.hpp"
#include "workloads/matmul/matmul.hpp"
#include "workloads/matmul/square.hpp"
#include "workloads/strassen/strassen.hpp"

using namespace heist::workloads;

namespace {

void expect_strassen_product(std::size_t side, std::size_t cutoff) {
  const auto a = random_matrix(side, 1);
  const auto b = random_matrix(side, 2);
  std::vector<double> expected(side * side);
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j)
      for (std::size_t k = 0; k < side; ++k)
        expected[i * side + j] += a[i * side + k] * b[k * side + j];
  std::vector<double> c(side * side, 7);  // what was there does not count
  strassen({a.data(), side, side, side}, {b.data(), side, side, side}, {c.data(), side, side, side},
           cutoff, forked{});
  EXPECT_EQ(c, expected) << side << " x " << side << ", cutoff " << cutoff;
}

std::vector<complex_number> transformed(std::vector<complex_number> values, std::size_t cutoff) {
  std::vector<complex_number> room(values.size());
  fft(std::span(values), std::span(room), fft_tables(values.size()), 0, cutoff, forked{});
  return values;
}

// L U for the factors that share a matrix of the given side.
std::vector<double> product_of_factors(const std::vector<double>& both, std::size_t n) {
  std::vector<double> product(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k <= std::min(i, j); ++k)
        product[i * n + j] += (k == i ? 1 : both[i * n + k]) * both[k * n + j];
  return product;
}

}  // namespace

TEST(Strassen, IsTheProductAtEveryDepth) {
  expect_strassen_product(1, 1);
  expect_strassen_product(2, 1);
  expect_strassen_product(32, 1);
  expect_strassen_product(24, 3);
  expect_strassen_product(40, 10);
  expect_strassen_product(96, 100);
}

TEST(Strassen, RoundsTheSideUpToOneThatCanBeHalved) {
  EXPECT_EQ(strassen_side(1, 1), 1u);
  EXPECT_EQ(strassen_side(64, 64), 64u);
  EXPECT_EQ(strassen_side(65, 64), 66u);
  EXPECT_EQ(strassen_side(1000, 64), 1008u);
  EXPECT_EQ(strassen_side(1000, 1), 1024u);
}

TEST(Strassen, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(*make_instance("strassen", {{"n", "67"}, {"cutoff", "20"}}));
  expect_same_result_everywhere(*make_instance("strassen", {{"n", "1"}}));
}

TEST(Strassen, NoticesAWrongProduct) {
  const auto instance = make_instance("strassen", {{"n", "20"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(Lu, HasTheFactorsOfTheMatrix) {
  for (const std::size_t n : {1u, 2u, 3u, 8u, 17u, 50u})
    for (const std::size_t base : {1u, 3u, 8u, 64u}) {
      auto matrix = random_matrix(n, 5);
      for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] = 10 * static_cast<double>(n);
      auto factors = matrix;
      decompose(result_block{factors.data(), n, n, n}, base, forked{});
      EXPECT_THAT(product_of_factors(factors, n),
                  testing::Pointwise(testing::DoubleNear(1e-10), matrix))
          << n << " x " << n << ", base " << base;
    }
}

TEST(Lu, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(*make_instance("lu", {{"n", "61"}, {"base", "8"}}));
  expect_same_result_everywhere(*make_instance("lu", {{"n", "1"}}));
}

TEST(Lu, NoticesAMatrixThatIsNotDecomposed) {
  const auto instance = make_instance("lu", {{"n", "20"}});
  instance->reset();
  EXPECT_THAT(instance->mistake().value_or(""), testing::HasSubstr("of L U x is"));
}

TEST(Fft, TransformsAWaveToOneValue) {
  for (std::size_t size = 1; size <= 2048; size *= 2) {
    const std::size_t wave = size / 3;
    std::vector<complex_number> values(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto turn = static_cast<double>(i * wave % size) / static_cast<double>(size);
      const double angle = 2 * std::numbers::pi * turn;
      values[i] = {std::cos(angle), std::sin(angle)};
    }
    for (const std::size_t cutoff : {1u, 256u, 4096u}) {
      const auto spectrum = transformed(values, cutoff);
      for (std::size_t k = 0; k < size; ++k) {
        EXPECT_NEAR(spectrum[k].re, k == wave ? static_cast<double>(size) : 0, 1e-9)
            << "value " << k << " of " << size;
        EXPECT_NEAR(spectrum[k].im, 0, 1e-9) << "value " << k << " of " << size;
      }
    }
  }
}

TEST(Fft, IsTheSameOnEveryPool) {
  for (const auto* log_size : {"0", "1", "5", "6", "11", "13"})
    expect_same_result_everywhere(
        *make_instance("fft", {{"log-size", log_size}, {"cutoff", "64"}}));
}

TEST(Fft, NoticesWhatIsNotTransformed) {
  const auto instance = make_instance("fft", {{"log-size", "8"}});
  instance->reset();
  EXPECT_THAT(instance->mistake().value_or(""), testing::StartsWith("the energy is "));
}

TEST(NumericPrograms, RefuseASizeThatDoesNotFitTheMemory) {
  EXPECT_THROW(make_instance("strassen", {{"n", "1048576"}}), heist::resource_error);
  EXPECT_THROW(make_instance("lu", {{"n", "16777216"}}), heist::resource_error);
  EXPECT_THROW(make_instance("fft", {{"log-size", "40"}}), heist::resource_error);
}

// ---- Compares the subdivided product of matrices with three plain loops, and both forms of the
// factorisation with a known one and with each other. The elements are whole numbers, so the
// results must be exactly equal.

namespace {

std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<double>(random_at(seed, i) % 21) - 10;
  return values;
}

// Multiplies a matrix of rows x inner by one of inner x columns.
void expect_product(std::size_t rows, std::size_t inner, std::size_t columns, std::size_t base) {
  const auto a = numbers(rows * inner, 1);
  const auto b = numbers(inner * columns, 2);
  std::vector<double> expected(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < inner; ++k)
        expected[i * columns + j] += a[i * inner + k] * b[k * columns + j];
  std::vector<double> c(rows * columns);
  multiply({a.data(), rows, inner, inner}, {b.data(), inner, columns, columns},
           {c.data(), rows, columns, columns}, base, forked{});
  EXPECT_EQ(c, expected) << rows << " x " << inner << " x " << columns << ", base " << base;
}

}  // namespace

TEST(Matmul, IsTheProductForAnyShape) {
  for (const std::size_t base : {1u, 4u, 7u, 100u}) {
    expect_product(1, 1, 1, base);
    expect_product(16, 16, 16, base);
    expect_product(17, 5, 31, base);
    expect_product(3, 40, 2, base);
  }
}

TEST(Matmul, IsTheSameOnEveryPool) {
  expect_same_result_everywhere(*make_instance("matmul", {{"n", "67"}, {"base", "8"}}));
}

TEST(Matmul, NoticesAWrongProduct) {
  const auto instance = make_instance("matmul", {{"n", "20"}});
  instance->reset();  // all elements are zero
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(Matmul, RefusesASizeThatDoesNotFitTheMemory) {
  EXPECT_THROW(make_instance("matmul", {{"n", "16777216"}}), heist::resource_error);
}

namespace {

using matrix = std::vector<double>;  // column after column

column_block whole(matrix& of, std::size_t n) { return {of.data(), n, n, n}; }

// The lower triangle of L L^T for a lower triangle L of small whole numbers. All sums, quotients
// and roots of the factorisation are exact, so it must give L again.
struct known_factor {
  explicit known_factor(std::size_t n) : factor(n * n), product(n * n) {
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i)
        factor[j * n + i] = i == j ? 2 : static_cast<double>(random_at(n, i * n + j) % 3) - 1;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i)
        for (std::size_t k = 0; k <= j; ++k)
          product[j * n + i] += factor[k * n + i] * factor[k * n + j];
  }

  matrix factor, product;
};

}  // namespace

TEST(Cholesky, FindsAKnownFactor) {
  for (const std::size_t n : {1u, 2u, 3u, 8u, 17u, 40u}) {
    const known_factor known(n);
    for (const std::size_t base : {1u, 3u, 8u, 100u}) {
      matrix recursive = known.product;
      factor_recursively(whole(recursive, n), base, forked{});
      EXPECT_EQ(recursive, known.factor) << n << " rows, base " << base;
      matrix tiled = known.product;
      factor_by_tiles(whole(tiled, n), base, forked{});
      EXPECT_EQ(tiled, known.factor) << n << " rows, tiles of " << base;
    }
  }
}

TEST(Cholesky, NumbersThePlacesOfATriangle) {
  std::size_t i = 0;
  for (std::size_t row = 0; row < 200; ++row)
    for (std::size_t column = 0; column <= row; ++column, ++i) {
      const triangle_place place(i);
      EXPECT_EQ(place.row, row) << i;
      EXPECT_EQ(place.column, column) << i;
    }
  const std::size_t large = std::size_t{100'000'000} * 100'000'001 / 2;
  EXPECT_EQ(triangle_place(large).row, 100'000'000u);
  EXPECT_EQ(triangle_place(large).column, 0u);
  EXPECT_EQ(triangle_place(large - 1).column, 99'999'999u);
}

TEST(Cholesky, IsTheSameOnEveryPool) {
  for (const auto* form : {"recursive", "tiled"})
    expect_same_result_everywhere(
        *make_instance("cholesky", {{"n", "50"}, {"base", "8"}, {"form", form}}));
}

TEST(Cholesky, NoticesAWrongFactor) {
  const auto instance = make_instance("cholesky", {{"n", "20"}});
  instance->reset();
  EXPECT_NE(instance->mistake(), std::nullopt);
}

TEST(Cholesky, RefusesBadOptions) {
  EXPECT_THROW(make_instance("cholesky", {{"n", "0"}}), heist::usage_error);
  EXPECT_THROW(make_instance("cholesky", {{"form", "round"}}), heist::usage_error);
  EXPECT_THROW(make_instance("cholesky", {{"n", "16777216"}}), heist::resource_error);
}
