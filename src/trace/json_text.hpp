// JSON, written without a library: the runtime has no dependency.
#pragma once

#include <string>
#include <string_view>

#include "trace/log.hpp"

namespace heist::inline v0::trace {

// The text as a JSON string, with its quotes. What isn't UTF-8 becomes U+FFFD, byte by byte.
[[nodiscard]] std::string quoted(std::string_view text);

// Everything but the events and the duration: an object with program, machine, version, processors,
// clock, lanes, names and statistics.
[[nodiscard]] std::string head_object(const log& recorded);

}  // namespace heist::inline v0::trace
