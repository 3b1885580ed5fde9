// Text inside SVG, HTML and JSON.
#pragma once

#include <string>
#include <string_view>

namespace heist::report {

// `text` as the content of an element, or of an attribute in double quotes. Control characters, and
// bytes that are no UTF-8, become U+FFFD.
[[nodiscard]] std::string escape_markup(std::string_view text);

// `text` as a JSON string, with its quotes. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

// A number as short as it can be written so that it is read back the same; JSON has no infinity, so that
// and what is no number are null.
[[nodiscard]] std::string json_number(double value);

// For people: four digits, without an exponent where there is room.
[[nodiscard]] std::string figure(double value);

}  // namespace heist::report
