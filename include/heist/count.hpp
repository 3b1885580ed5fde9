// count and count_if: std's.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "heist/detail/algorithm.hpp"
#include "heist/reduce.hpp"

namespace heist::inline v0 {

namespace detail {

struct count_if_impl {
  template <std::random_access_iterator It, std::predicate<std::iter_reference_t<It>> Predicate>
  std::iter_difference_t<It> operator()(It first, It last, Predicate&& predicate) const {
    using difference = std::iter_difference_t<It>;
    std::plus<difference> add;
    return fold_elements(length_of(first, last), difference{0}, add,
                         [&](std::size_t i) -> difference {
                           return static_cast<bool>(predicate(element_at(first, i))) ? 1 : 0;
                         });
  }
};

struct count_impl {
  template <std::random_access_iterator It, class T>
  std::iter_difference_t<It> operator()(It first, It last, const T& value) const {
    return count_if_impl()(first, last, [&](const auto& each) { return each == value; });
  }
};

}  // namespace detail

// count([pool,] first, last, value), count_if([pool,] first, last, predicate), also with a range: how many elements are
// equal to the value, or satisfy the predicate, which several threads call at once. Random-access iterators; n
// calls; allocates nothing. Exceptions and threads: as for parallel_for.
inline constexpr detail::algorithm<detail::with_ranges<detail::count_impl>> count{};
inline constexpr detail::algorithm<detail::with_ranges<detail::count_if_impl>> count_if{};

}  // namespace heist::inline v0
