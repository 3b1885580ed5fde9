#pragma once

#include <string>
#include <string_view>

#include "platform/utf8.hpp"

namespace heist::inline v0::detail {

// A region's name, as it is written out.
[[nodiscard]] inline std::string shown(std::string_view name) {
  return name.empty() ? "?" : platform::printable(name, 200);
}

}  // namespace heist::inline v0::detail
