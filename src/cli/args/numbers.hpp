// Reads numbers on a command line: one, or a list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heist::cli {

// Throw usage_error, which names the command, the option and what was given.
[[nodiscard]] std::uint64_t whole_number(std::string_view command, std::string_view option,
                                         std::string_view text, std::uint64_t least,
                                         std::uint64_t greatest);

// A decimal number, whatever the locale. `what` it is that the option takes: "seconds".
[[nodiscard]] double decimal_number(std::string_view command, std::string_view option,
                                    std::string_view text, double least, double greatest,
                                    std::string_view what = "a number");

// "1..1024" doubles at each step; "1,2,12" is a list; both may be combined.
[[nodiscard]] std::vector<std::uint32_t> number_list(std::string_view command,
                                                     std::string_view option, std::string_view text,
                                                     std::uint32_t greatest);

// Splits "a,b" into its parts, which may be empty.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view text);

}  // namespace heist::cli
