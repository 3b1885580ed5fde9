// The integers that the sorts sort: generated, or read from a file of 64-bit integers as this
// machine stores them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heist::workloads {

// The orders that sorts have trouble with, beside a random one.
[[nodiscard]] const std::vector<std::string>& input_orders();

// Throws nothing; `order` must be one of input_orders().
[[nodiscard]] std::vector<std::int64_t> generate_integers(std::size_t count, std::uint64_t seed,
                                                          std::string_view order);

// Throws resource_error when the file can't be read, is empty, isn't a whole number of integers, or
// is so large that `copies` of it don't fit the memory.
[[nodiscard]] std::vector<std::int64_t> read_integers(const std::string& path,
                                                      std::uint64_t copies);

}  // namespace heist::workloads
