// Text and numbers inside SVG, HTML and JSON.
#pragma once

#include <string>
#include <string_view>

#include "platform/json_text.hpp"

namespace heist::report {

// `text` as the content of an element, or of an attribute in double quotes. Control characters, and
// bytes that are no UTF-8, become U+FFFD.
[[nodiscard]] std::string escape_markup(std::string_view text);

using platform::json_text;

// The shortest text that is read back as the same number. JSON has neither infinities nor NaN:
// these are null.
[[nodiscard]] std::string json_number(double value);

// A number for people: four digits, without an exponent where there is room.
[[nodiscard]] std::string figure(double value);

}  // namespace heist::report
