// Strassen's product, LU decomposition and the Fourier transform.
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/fft/fft.hpp"
#include "workloads/hashing.hpp"
#include "workloads/lu/lu.hpp"
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
