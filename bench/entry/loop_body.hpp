// What an iteration of the loops in `heist bench callers` does.
#pragma once

namespace heist::bench {

inline void step(double& value) { value = value * 0.999 + 1; }

}  // namespace heist::bench
