#pragma once

#include <string>
#include <string_view>

namespace heist::inline v0::detail {

// As a string of JSON, which is also harmless inside a page.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace heist::inline v0::detail
