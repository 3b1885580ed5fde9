// The forms that every loop and algorithm has, written once: over iterators, over a range, and with
// a pool or a stop condition in front.
//
// Impl has operator() for iterators. with_ranges adds (range, arguments...) for its one range.
// algorithm adds (pool, arguments...), which runs the whole call in that pool, and (stop condition,
// arguments...), if Impl can be stopped, that is if it has a template with_stop. Impl's forms say
// by `requires` what suits them. Why a call suits none, Impl::why says for the arguments after pool
// and stop condition, where two iterators stand for a range.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>  // <bits/ranges_base.h>: std::ranges::begin without <ranges>
#include <type_traits>
#include <utility>

#include "heist/detail/bad_range.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0 {

namespace detail {

// A random-access range that knows its size. It may be a temporary: it lives as long as the call.
template <class R>
concept random_access_source = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

// Whether the result may refer to the range. Then a temporary is refused, unless its iterators
// outlive it, as a span's do.
enum class result_is : std::uint8_t { in_range, apart };

template <class R, result_is Result>
concept forward_source =
    std::ranges::forward_range<R> && (Result == result_is::apart || std::ranges::borrowed_range<R>);

// The end that Impl gets for a range: an iterator, if the range is random-access.
template <class R>
using end_for = std::conditional_t<random_access_source<R>, std::ranges::iterator_t<R>,
                                   std::ranges::sentinel_t<R>>;

template <class Impl, result_is Result = result_is::in_range>
struct with_ranges : Impl {
  static constexpr result_is result_of_ranges = Result;
  using Impl::operator();
  template <class R, class... Arguments>
  requires forward_source<R, Result> &&
           std::is_invocable_v<const Impl&, std::ranges::iterator_t<R>, end_for<R>, Arguments...>
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

template <class Impl, result_is Result, class S>
struct stopped_form<with_ranges<Impl, Result>, S> {
  using type = with_ranges<typename Impl::template with_stop<S>, Result>;
};

// What several algorithms say, as bases of their Impl.
struct takes_predicate {
  template <class It, class End = void, class Predicate = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<Predicate>)
      return refusal::arguments;
    else
      return why_no_predicate<Predicate, std::iter_reference_t<It>>();
  }
};
template <class It, class T>
concept is_compared =
    requires(std::iter_reference_t<It> e, const T& value) { static_cast<bool>(e == value); };
struct takes_value {
  template <class It, class End = void, class T = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<T>)
      return refusal::arguments;
    else
      return is_compared<It, std::remove_cvref_t<T>> ? refusal::none : refusal::value;
  }
};
struct takes_comparator {
  template <class It, class End = void, class Less = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<Less>)
      return why_no_comparator<std::less<>, std::iter_reference_t<It>, std::iter_reference_t<It>>();
    else
      return why_no_comparator<Less, std::iter_reference_t<It>, std::iter_reference_t<It>>();
  }
};
template <class Less, class It>
concept comparator_of =
    std::is_invocable_r_v<bool, Less&, std::iter_reference_t<It>, std::iter_reference_t<It>>;

// Whether Impl takes these arguments, after a pool and a stop condition.
template <class Impl, class... Arguments>
struct suits : std::is_invocable<const Impl&, Arguments...> {};
template <class Impl, class S, class... Arguments>
requires can_stop<Impl, std::remove_cvref_t<S>>
struct suits<Impl, S, Arguments...>
    : std::is_invocable<const typename stopped_form<Impl, std::remove_cvref_t<S>>::type&,
                        Arguments...> {};
template <class Impl, class... Arguments>
struct suits<Impl, pool&, Arguments...> : suits<Impl, Arguments...> {};

// Why Impl takes no such arguments: those of a call without pool and stop condition.
template <class Impl, class First, class... Others>
consteval refusal why_not_suited() {
  using first = std::remove_cvref_t<First>;
  if constexpr (std::is_same_v<first, pool>)
    return refusal::pool_place;
  else if constexpr (stop_condition<first>)
    return refusal::stop_condition;
  else if constexpr (asks_for_stop<first>)
    return refusal::stop_unsuitable;
  else if constexpr (!requires { Impl::result_of_ranges; })
    return Impl::template why<First, Others...>();
  else if constexpr (std::input_or_output_iterator<first>)
    return Impl::template why<first, std::remove_cvref_t<Others>...>();
  else if constexpr (!std::ranges::range<First>)
    return refusal::not_a_range;
  else if constexpr (Impl::result_of_ranges == result_is::in_range &&
                     !std::ranges::borrowed_range<First>)
    return refusal::range_of_temporary;
  else if constexpr (!random_access_source<First> && !requires { typename Impl::takes_lists; })
    return refusal::range_kind;
  else
    return Impl::template why<std::ranges::iterator_t<First>, std::ranges::iterator_t<First>,
                              Others...>();
}

// The same with both.
template <class Impl>
consteval refusal why_not() {
  return refusal::arguments;
}
template <class Impl, class First, class... Others>
consteval refusal why_not() {
  if constexpr (std::is_same_v<First, pool&> && sizeof...(Others) != 0)
    return why_not<Impl, Others...>();
  else if constexpr (can_stop<Impl, std::remove_cvref_t<First>> && sizeof...(Others) != 0)
    return why_not_suited<Impl, Others...>();
  else
    return why_not_suited<Impl, First, Others...>();
}
template <class Impl, class... Arguments>
consteval refusal why_refused() {
  constexpr refusal why = why_not<Impl, Arguments...>();
  return why == refusal::none ? refusal::arguments : why;
}

// Impl must not take a pool.
template <class Impl>
struct algorithm : Impl {
  using Impl::operator();
  template <std::same_as<pool> Pool, class... Arguments>
  requires suits<Impl, Arguments...>::value
  auto operator()(Pool& p, Arguments&&... arguments) const {
    return p.run([&] { return (*this)(std::forward<Arguments>(arguments)...); });
  }
  template <class S, class... Arguments>
  requires can_stop<Impl, S> && suits<Impl, const S&, Arguments...>::value
  auto operator()(const S& stop, Arguments&&... arguments) const {
    return under<Impl>(stop)(std::forward<Arguments>(arguments)...);
  }
  template <class... Arguments>
  requires(!suits<Impl, Arguments...>::value)
  refused operator()(Arguments&&...) const {
    say<why_refused<Impl, Arguments...>()>();
    return {};
  }
};

// Whether a reference stands for a bit of a word, as that of std::vector<bool> does, or has such
// references in it, as views::zip's. A write to it writes the word.
template <class Reference>
inline constexpr bool is_bit = false;
template <class Reference>
requires std::is_class_v<Reference> && std::is_convertible_v<Reference, bool> &&
             requires(Reference r) { r.flip(); }
inline constexpr bool is_bit<Reference> = true;
template <template <class...> class Several, class... Reference>
requires(!requires(Several<Reference...> r) { r.flip(); })
inline constexpr bool is_bit<Several<Reference...>> = (is_bit<Reference> || ...);

// Whether elements share memory with their neighbours. One worker writes to such a range: two that
// write to one word lose what the other one has written.
template <class It>
inline constexpr bool shares_words = is_bit<std::iter_reference_t<It>>;
// How many workers may write through the iterator, of a pool's.
template <class It>
constexpr unsigned writers(unsigned workers) noexcept {
  return shares_words<It> ? 1 : workers;
}

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
