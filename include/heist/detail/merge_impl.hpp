// The machinery of <heist/merge.hpp>: the entry to detail/parallel/merging.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/merging.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/merge.hpp"

namespace heist::inline v0 {

namespace detail {

// A pointer instead of the iterator, where the elements are contiguous.
template <std::random_access_iterator It>
auto plain(It i) {
  if constexpr (std::contiguous_iterator<It>)
    return std::to_address(i);
  else
    return i;
}

struct merge_impl {
  template <std::random_access_iterator A, std::random_access_iterator B,
            std::random_access_iterator Out, class Less = std::less<>>
  Out operator()(A a, A a_end, B b, B b_end, Out out, Less less = {}) const {
    const std::size_t a_size = length_of(a, a_end);
    const std::size_t b_size = length_of(b, b_end);
    if (a_size + b_size <= merge_cutoff)
      merge_serially<by_copy>(plain(a), a_size, plain(b), b_size, plain(out), less);
    else
      on_a_worker([&](unsigned) {
        merge_in_parallel<by_copy>(plain(a), a_size, plain(b), b_size, plain(out), less);
      });
    return iterator_at(out, a_size + b_size);
  }
  template <random_access_source A, random_access_source B, std::random_access_iterator Out,
            class Less = std::less<>>
  Out operator()(A&& a, B&& b, Out out, Less less = {}) const {
    const auto first = std::ranges::begin(a);
    const auto first2 = std::ranges::begin(b);
    return operator()(first, iterator_at(first, as_count(std::ranges::size(a))), first2,
                      iterator_at(first2, as_count(std::ranges::size(b))), out, less);
  }
};

}  // namespace detail

struct merge_function : detail::algorithm<detail::merge_impl> {};

inline constexpr merge_function merge{};

}  // namespace heist::inline v0
