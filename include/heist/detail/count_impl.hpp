// The machinery of <heist/count.hpp>: a sum of ones over the tree of leaves.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include "heist/count.hpp"
#include "heist/detail/algorithm.hpp"
#include "heist/detail/functional.hpp"
#include "heist/reduce.hpp"

namespace heist::inline v0 {

namespace detail {

template <class Stop = never_stops>
struct count_if_impl : stopped_by<Stop>, takes_predicate {
  template <class S>
  using with_stop = count_if_impl<S>;

  template <std::random_access_iterator It, std::predicate<std::iter_reference_t<It>> Predicate>
  std::iter_difference_t<It> operator()(It first, It last, Predicate&& predicate) const {
    using difference = std::iter_difference_t<It>;
    std::plus<difference> add;
    return fold_elements(length_of(first, last), *this, difference{0}, add,
                         [&](std::size_t i) -> difference {
                           return static_cast<bool>(predicate(element_at(first, i))) ? 1 : 0;
                         });
  }
};

template <class Stop = never_stops>
struct count_impl : stopped_by<Stop>, takes_value {
  template <class S>
  using with_stop = count_impl<S>;

  template <std::random_access_iterator It, class T>
  requires is_compared<It, T>
  std::iter_difference_t<It> operator()(It first, It last, const T& value) const {
    count_if_impl<Stop> those;
    if constexpr (!std::is_same_v<Stop, never_stops>) those.stop = this->stop;
    return those(first, last, [&](const auto& each) { return each == value; });
  }
};

}  // namespace detail

struct count_function
    : detail::algorithm<detail::with_ranges<detail::count_impl<>, detail::result_is::apart>> {};
struct count_if_function
    : detail::algorithm<detail::with_ranges<detail::count_if_impl<>, detail::result_is::apart>> {};

inline constexpr count_function count{};
inline constexpr count_if_function count_if{};

}  // namespace heist::inline v0
