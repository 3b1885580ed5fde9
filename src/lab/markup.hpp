// Text inside SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace heist::lab {

// `text` as the content of an element, or of an attribute in double quotes. Control characters, and
// bytes that are no UTF-8, become U+FFFD.
[[nodiscard]] std::string escape_markup(std::string_view text);

// A number as short as it can be written so that it is read back the same.
[[nodiscard]] std::string shortest(double value);

// For people: four digits, without an exponent where there is room.
[[nodiscard]] std::string figure(double value);

}  // namespace heist::lab
