// The computations that divide a problem: matmul, quicksort, loops.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lab/catalog/computation.hpp"

namespace heist::lab {

// `arguments` must be within the ranges of computations(). Throws usage_error.
[[nodiscard]] std::unique_ptr<computation> make_divided(
    const spec& word, const std::vector<std::uint64_t>& arguments);

}  // namespace heist::lab
