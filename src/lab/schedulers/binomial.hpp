// Binomially distributed numbers: how many of n thieves send their request to a processor that has
// work. They are drawn by inversion where few successes are expected, otherwise by Hörmann's
// transformed rejection (The generation of binomial random variates, 1993).
#pragma once

#include <cstdint>

#include "lab/model/random.hpp"

namespace heist::lab {

// Draws how many of n independent trials succeed, each with probability p.
[[nodiscard]] std::uint64_t draw_binomial(rng& random, std::uint64_t n, double p);

// The same, given that at least one succeeds. n > 0, p > 0.
[[nodiscard]] std::uint64_t draw_positive_binomial(rng& random, std::uint64_t n, double p);

// Draws how many steps of n trials each pass without a success before a step with one; at most
// `limit`.
[[nodiscard]] std::uint64_t draw_failures(rng& random, std::uint64_t n, double p,
                                          std::uint64_t limit);

}  // namespace heist::lab
