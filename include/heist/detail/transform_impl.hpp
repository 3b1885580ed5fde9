// The machinery of <heist/transform.hpp>: loops over the offsets of a range.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/aligned_loop.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/detail/parallel/stoppable.hpp"
#include "heist/merge.hpp"
#include "heist/transform.hpp"

namespace heist::inline v0 {

namespace detail {

// Calls write(i), which writes to Out, for each offset, in a plain counted loop.
template <class Out, class Write, class Stop>
void for_offsets(std::size_t n, const stopped_by<Stop>& by, const Write& write) {
  const auto chunk = [&](std::size_t first, std::size_t last) {
    HEIST_ALIGNED_LOOP
    for (std::size_t i = first; i != last; ++i) write(i);
  };
  if constexpr (shares_words<Out>)
    run_alone(n, by, chunk);
  else
    run_stoppable(n, by, chunk, [n](const auto& work) { split_on_demand(n, work); });
}

// Why f(elements...) can't be written to the output.
template <class Out, class F, class... Element>
consteval refusal why_not_written() {
  if constexpr (!std::invocable<F&, Element...>)
    return refusal::transform;
  else if constexpr (!std::random_access_iterator<Out>)
    return refusal::output;
  else
    return std::is_assignable_v<std::iter_reference_t<Out>, std::invoke_result_t<F&, Element...>>
               ? refusal::none
               : refusal::output;
}
template <class Out, class F, class... Element>
concept writes = why_not_written<Out, F, Element...>() == refusal::none;

template <class Stop = never_stops>
struct transform_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = transform_impl<S>;

  template <class It, class End = void, class Out = void, class F = void, class F2 = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<F>)
      return refusal::arguments;
    else if constexpr (std::is_void_v<F2>)
      return why_not_written<std::remove_cvref_t<Out>, F, std::iter_reference_t<It>>();
    else if constexpr (!std::random_access_iterator<std::remove_cvref_t<Out>>)
      return refusal::iterator;  // of the second range
    else
      return why_not_written<std::remove_cvref_t<F>, F2, std::iter_reference_t<It>,
                             std::iter_reference_t<std::remove_cvref_t<Out>>>();
  }

  template <std::random_access_iterator It, std::random_access_iterator Out, class F>
  requires writes<Out, F, std::iter_reference_t<It>>
  Out operator()(It first, It last, Out out, F&& f) const {
    const std::size_t n = length_of(first, last);
    for_offsets<Out>(n, *this, [input = plain(first), output = plain(out), &f](std::size_t i) {
      element_at(output, i) = f(element_at(input, i));
    });
    return iterator_at(out, n);
  }
  template <std::random_access_iterator It, std::random_access_iterator Other,
            std::random_access_iterator Out, class F>
  requires writes<Out, F, std::iter_reference_t<It>, std::iter_reference_t<Other>>
  Out operator()(It first, It last, Other first2, Out out, F&& f) const {
    const std::size_t n = length_of(first, last);
    for_offsets<Out>(
        n, *this,
        [input = plain(first), input2 = plain(first2), output = plain(out), &f](std::size_t i) {
          element_at(output, i) = f(element_at(input, i), element_at(input2, i));
        });
    return iterator_at(out, n);
  }
};

template <class Stop = never_stops>
struct copy_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = copy_impl<S>;

  template <class It, class End = void, class Out = void, class...>
  static consteval refusal why() {
    if constexpr (std::is_void_v<Out>)
      return refusal::arguments;
    else
      return std::random_access_iterator<It> ? refusal::output : refusal::iterator;
  }

  template <std::random_access_iterator It, std::random_access_iterator Out>
  requires std::is_assignable_v<std::iter_reference_t<Out>, std::iter_reference_t<It>>
  Out operator()(It first, It last, Out out) const {
    const std::size_t n = length_of(first, last);
    for_offsets<Out>(n, *this, [input = plain(first), output = plain(out)](std::size_t i) {
      element_at(output, i) = element_at(input, i);
    });
    return iterator_at(out, n);
  }
};

template <class Stop = never_stops>
struct fill_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = fill_impl<S>;

  template <class It, class End = void, class T = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else
      return std::is_void_v<T> ? refusal::arguments : refusal::output;
  }

  template <std::random_access_iterator It, class T>
  requires std::is_assignable_v<std::iter_reference_t<It>, const T&>
  void operator()(It first, It last, const T& value) const {
    for_offsets<It>(length_of(first, last), *this, [output = plain(first), &value](std::size_t i) {
      element_at(output, i) = value;
    });
  }
};

template <class Stop = never_stops>
struct generate_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = generate_impl<S>;

  template <class It, class End = void, class Generator = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<Generator>)
      return refusal::arguments;
    else
      return std::invocable<Generator&> ? refusal::arguments : refusal::generator;
  }

  template <std::random_access_iterator It, std::invocable Generator>
  void operator()(It first, It last, Generator&& generator) const {
    for_offsets<It>(length_of(first, last), *this,
                    [output = plain(first), &generator](std::size_t i) {
                      element_at(output, i) = generator();
                    });
  }
};

}  // namespace detail

struct transform_function
    : detail::algorithm<detail::with_ranges<detail::transform_impl<>, detail::result_is::apart>> {};
struct copy_function
    : detail::algorithm<detail::with_ranges<detail::copy_impl<>, detail::result_is::apart>> {};
struct fill_function : detail::algorithm<detail::with_ranges<detail::fill_impl<>>> {};
struct generate_function : detail::algorithm<detail::with_ranges<detail::generate_impl<>>> {};

inline constexpr transform_function transform{};
inline constexpr copy_function copy{};
inline constexpr fill_function fill{};
inline constexpr generate_function generate{};

}  // namespace heist::inline v0
