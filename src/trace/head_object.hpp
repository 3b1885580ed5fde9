// What both forms of a file begin with.
#pragma once

#include <string>

#include "trace/log.hpp"

namespace heist::inline v0::trace {

// Everything but the events and the duration: an object with program, machine, version, processors,
// clock, lanes, names and statistics.
[[nodiscard]] std::string head_object(const log& recorded);

}  // namespace heist::inline v0::trace
