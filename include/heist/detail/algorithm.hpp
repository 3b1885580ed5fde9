// The forms that every loop and algorithm has, written once: over iterators, over a range, and with
// a pool or a stop condition in front.
//
// Impl has operator() for iterators. with_ranges adds (range, arguments...) for its one range.
// algorithm adds (pool, arguments...), which runs the whole call in that pool, and (stop condition,
// arguments...), if Impl can be stopped, that is if it has a template with_stop.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <string_view>  // <bits/ranges_base.h>: std::ranges::begin without <ranges>
#include <type_traits>
#include <utility>

#include "heist/detail/bad_range.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0 {

class pool;

namespace detail {

// A random-access range whose iterators outlive the expression.
template <class R>
concept random_access_source = std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
    std::ranges::borrowed_range<R>;

template <class R>
concept forward_source = std::ranges::forward_range<R> && std::ranges::borrowed_range<R>;

template <class Impl>
struct with_ranges : Impl {
  using Impl::operator();
  template <forward_source R, class... Arguments>
  auto operator()(R&& range, Arguments&&... arguments) const {
    // The end becomes an iterator, too: with random access that works for any sentinel.
    const auto first = std::ranges::begin(range);
    if constexpr (random_access_source<R>)
      return Impl::operator()(
          first, first + static_cast<std::ranges::range_difference_t<R>>(std::ranges::size(range)),
          std::forward<Arguments>(arguments)...);
    else
      return Impl::operator()(first, std::ranges::end(range),
                              std::forward<Arguments>(arguments)...);
  }
};

template <class Impl, class S>
struct stopped_form<with_ranges<Impl>, S> {
  using type = with_ranges<typename Impl::template with_stop<S>>;
};

// Impl must not take a pool.
template <class Impl>
struct algorithm : Impl {
  using Impl::operator();
  template <std::same_as<pool> Pool, class... Arguments>
  auto operator()(Pool& p, Arguments&&... arguments) const {
    return p.run([&] { return (*this)(std::forward<Arguments>(arguments)...); });
  }
  template <class S, class... Arguments>
  requires can_stop<Impl, S>
  auto operator()(const S& stop, Arguments&&... arguments) const {
    return under<Impl>(stop)(std::forward<Arguments>(arguments)...);
  }
};

template <std::random_access_iterator It>
std::size_t length_of(It first, It last) {
  return as_count(last - first);
}

// The element at an offset.
template <std::random_access_iterator It>
[[gnu::always_inline]] inline decltype(auto) element_at(const It& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<It>>(i)];
}
template <std::random_access_iterator It>
It iterator_at(const It& first, std::size_t i) {
  return first + static_cast<std::iter_difference_t<It>>(i);
}

}  // namespace detail

}  // namespace heist::inline v0
