// Kernels by words: "dedicated", "benign:4", "lower-bound:10".
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "lab/catalog/spec.hpp"
#include "lab/engines/kernel.hpp"

namespace heist::lab {

struct kernel_name {
  std::string_view name, knows, summary;
  std::vector<argument_spec> arguments;
};

[[nodiscard]] const std::vector<kernel_name>& kernels();

// `span` is the computation's Tinf, on which lower-bound depends. Throws usage_error.
[[nodiscard]] std::unique_ptr<kernel> make_kernel(std::string_view word, std::uint32_t processes,
                                                  std::uint64_t span, std::uint64_t seed);

}  // namespace heist::lab
