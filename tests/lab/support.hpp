// What several tests of the lab use.
#pragma once

#include <cstddef>
#include <string>

namespace heist_test {

// How often the part stands in the text.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

}  // namespace heist_test
