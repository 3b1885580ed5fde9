// Functions that the fuzzers share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Checks the text of a usage_error: one line that begins with its subject.
inline void require_one_line(std::string_view message, std::string_view begin) {
  require(message.starts_with(begin) && message.find('\n') == std::string_view::npos);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
