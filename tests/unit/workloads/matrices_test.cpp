// Compares the subdivided product of matrices with three plain loops, and both forms of the
// factorisation with a known one and with each other. The elements are whole numbers, so the
// results must be exactly equal.
#include <cmath>

#include <heist/error.hpp>

#include "check_workload.hpp"
#include "workloads/cholesky/cholesky.hpp"
#include "workloads/hashing.hpp"
#include "workloads/matmul/matmul.hpp"

using namespace heist::workloads;

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
