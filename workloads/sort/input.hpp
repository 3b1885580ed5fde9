// The integers to be sorted are generated, or read from a file of 64-bit integers in this machine's
// byte order.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heist::workloads {

// A random order of any integers, the orders that are difficult for sorting algorithms, and two
// distributions over the number of integers, with which some are equal: uniform and exponential.
[[nodiscard]] const std::vector<std::string>& input_orders();

// `order` must be one of input_orders(). The function throws nothing.
[[nodiscard]] std::vector<std::int64_t> generate_integers(std::size_t count, std::uint64_t seed,
                                                          std::string_view order);

// Throws resource_error if the file cannot be read, is empty, does not hold a whole number of
// integers, or is so large that `copies` of it do not fit the memory.
[[nodiscard]] std::vector<std::int64_t> read_integers(const std::string& path,
                                                      std::uint64_t copies);

}  // namespace heist::workloads
