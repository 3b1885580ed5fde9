// The machine and the compiler with which the figures were made.
#pragma once

#include "report/results.hpp"

namespace heist::bench {

[[nodiscard]] report::machine this_machine();

}  // namespace heist::bench
