// Compares the subdivided product with three plain loops. The elements are whole numbers, so the
// results must be exactly equal.
#include <heist/error.hpp>

#include "check_workload.hpp"
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
