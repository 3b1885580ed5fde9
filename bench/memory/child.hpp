// Finds another program, runs it and reads what it prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/options.hpp"

namespace heist::bench {

// The program that the option names, or else the one of that name that lies beside the command;
// empty if there is none.
[[nodiscard]] std::string program_of(const workloads::option_values& values, const char* option,
                                     const char* name);

// Returns its standard output. Throws resource_error if it cannot be started or does not exit
// with 0.
[[nodiscard]] std::string output_of(const std::string& program,
                                    const std::vector<std::string>& arguments);

// Returns the whole number after "name": in a JSON text. Throws resource_error if there is none.
[[nodiscard]] std::uint64_t number_in(const std::string& json, const std::string& name);

}  // namespace heist::bench
