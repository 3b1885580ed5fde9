#pragma once

#include <string>
#include <string_view>

namespace heist::inline v0::detail {

// Without control characters, and cut short.
[[nodiscard]] std::string printable(std::string_view name, std::size_t most);

// As a string of JSON, which is also harmless inside a page.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace heist::inline v0::detail
