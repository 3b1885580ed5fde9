// Numbers that a command line gives: one, or a list.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heist::cli {

// Throw usage_error, which names the command, the option and what was given.
[[nodiscard]] std::uint64_t whole_number(std::string_view command, std::string_view option,
                                         std::string_view text, std::uint64_t least,
                                         std::uint64_t greatest);

// "1..1024" doubles; "1,2,12" lists; both may stand together.
[[nodiscard]] std::vector<std::uint32_t> number_list(std::string_view command,
                                                     std::string_view option, std::string_view text,
                                                     std::uint32_t greatest);

// "a,b": its parts, which may be empty.
[[nodiscard]] std::vector<std::string_view> parts_of(std::string_view text);

}  // namespace heist::cli
