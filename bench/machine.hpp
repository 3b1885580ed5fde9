// The machine and the compiler with which the figures were made.
#pragma once

#include "report/results.hpp"

namespace heist::bench {

// Begins to look at what others take of its processors.
[[nodiscard]] report::machine this_machine();
// Notes what they took since the last call of that.
void note_others(report::machine& on);

}  // namespace heist::bench
