// Binomially distributed numbers: how many of n thieves ask one of the processors that have something. Inversion where
// few are expected; otherwise Hörmann's transformed rejection (The generation of binomial random variates, 1993).
#pragma once

#include <cstdint>

#include "lab/model/random.hpp"

namespace heist::lab {

// How many of n independent trials succeed, each with probability p.
[[nodiscard]] std::uint64_t draw_binomial(rng& random, std::uint64_t n, double p);

// The same, given that one does at least. n > 0, p > 0.
[[nodiscard]] std::uint64_t draw_positive_binomial(rng& random, std::uint64_t n, double p);

// How many steps of n trials pass without a success before one with some; at most `limit`.
[[nodiscard]] std::uint64_t draw_failures(rng& random, std::uint64_t n, double p,
                                          std::uint64_t limit);

}  // namespace heist::lab
