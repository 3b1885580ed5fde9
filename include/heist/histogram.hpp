// histogram: how many elements fall into each of a number of bins.
//
//     auto sizes = heist::histogram(words, 20, [](const auto& w) { return bin_of(w); });
#pragma once

#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// histogram([pool,] first, last, bins, bin), histogram([pool,] range, bins, bin): return a
// std::vector<std::size_t> of `bins` numbers; number b says for how many elements bin(element), an
// integer, is b. Throws usage_error if bin(element) isn't below `bins`, or if `bins` is negative.
//
// Several threads call bin at once, once for each element. Random-access iterators. Each worker
// counts for itself, so this needs memory for `bins` numbers for each worker (std::bad_alloc).
// Exceptions and threads: as for parallel_for. histogram is a function object; its type is
// unspecified.
extern const struct histogram_function histogram;

}  // namespace heist::inline v0

#include "heist/detail/histogram_impl.hpp"
