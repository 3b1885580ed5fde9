// Runs another program and reads what it prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heist::bench {

// Its standard output. Throws resource_error when it can't be started or doesn't end with 0.
[[nodiscard]] std::string output_of(const std::string& program,
                                    const std::vector<std::string>& arguments);

// The whole number that follows "name": in a JSON text. Throws resource_error if there is none.
[[nodiscard]] std::uint64_t number_in(const std::string& json, const std::string& name);

}  // namespace heist::bench
