// The machinery of <heist/histogram.hpp>: counts of each worker, added up in the end.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/bad_range.hpp"
#include "heist/detail/entry.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/parallel/crew.hpp"
#include "heist/histogram.hpp"

namespace heist::inline v0 {

namespace detail {

// Throws usage_error.
[[noreturn, gnu::cold]] HEIST_API void throw_bad_bin(std::size_t bin, std::size_t bins);

struct histogram_impl {
  template <class It, class End = void, class Bins = void, class Bin = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<Bin>)
      return refusal::arguments;
    else
      return std::integral<std::remove_cvref_t<Bins>> ? refusal::bin : refusal::index_types;
  }

  template <std::random_access_iterator It, std::integral Bins, class Bin>
  requires std::integral<std::invoke_result_t<Bin&, std::iter_reference_t<It>>>
  std::vector<std::size_t> operator()(It first, It last, Bins how_many, Bin&& bin) const {
    using which_bin = std::invoke_result_t<Bin&, std::iter_reference_t<It>>;
    static_assert(
        fits_a_count<Bins> && fits_a_count<which_bin>,
        "heist::histogram: bins are counted by integers, none of them of more than 64 bits");
    if (how_many < 0) throw_bad_range("heist::histogram", {}, endpoint_of(how_many));
    const auto bins = static_cast<std::size_t>(how_many);
    std::vector<std::size_t> total(bins);
    const std::size_t n = length_of(first, last);
    if (n == 0) return total;
    on_a_worker([&](unsigned workers) {
      constexpr std::size_t gap = 16;  // numbers: no two workers' counts share a cache line
      std::vector<std::vector<std::size_t>> counts(workers, std::vector<std::size_t>(bins + gap));
      run_crew_by_counter(
          n,
          [&](unsigned member, std::size_t f, std::size_t l) {
            std::size_t* const mine = counts[member].data();
            for (std::size_t i = f; i != l; ++i) {
              const auto which = static_cast<std::size_t>(bin(element_at(first, i)));
              if (which >= bins) throw_bad_bin(which, bins);
              ++mine[which];
            }
          },
          workers, [](std::size_t left) { return left < 64 * 1024 ? left / 64 + 1 : 1024; });
      for (const auto& mine : counts)
        for (std::size_t b = 0; b < bins; ++b) total[b] += mine[b];
    });
    return total;
  }
};

}  // namespace detail

struct histogram_function
    : detail::algorithm<detail::with_ranges<detail::histogram_impl, detail::result_is::apart>> {};

inline constexpr histogram_function histogram{};

}  // namespace heist::inline v0
