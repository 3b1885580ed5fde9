// Square matrices for the programs that multiply or decompose them: generated, multiplied by a
// vector for a check, and hashed. They are stored row after row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heist::workloads {

// The elements are small whole numbers. Every sum of products is exact, so a result does not depend
// on the order of the additions.
[[nodiscard]] std::vector<double> random_matrix(std::size_t n, std::uint64_t seed);

// Whole numbers, for which the products with such matrices are exact, too.
[[nodiscard]] std::vector<double> random_vector(std::size_t n);

// The matrix has as many rows and columns as the vector elements.
[[nodiscard]] std::vector<double> times(const std::vector<double>& matrix,
                                        const std::vector<double>& x);

// Depends on every bit of every element, and on their order.
[[nodiscard]] std::uint64_t hash_of_elements(const std::vector<double>& elements);

}  // namespace heist::workloads
