// The machinery of <heist/merge.hpp>: the entry to detail/parallel/merging.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/entry.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/parallel/merging.hpp"
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

template <class Out, class... References>
concept can_be_put_out =
    std::random_access_iterator<Out> && (std::indirectly_writable<Out, References> && ...);

template <class Less, class A, class B, class Out>
concept merges = std::is_invocable_r_v<bool, Less&, B, A> && can_be_put_out<Out, A, B>;

struct merge_impl {
  template <class A, class B = void, class Out = void, class Less = void, class Fifth = void,
            class Sixth = void, class...>
  static consteval refusal why() {
    if constexpr (std::input_or_output_iterator<std::remove_cvref_t<A>>)
      return why_not_iterators<std::remove_cvref_t<A>, Out, Fifth, Sixth>();
    else if constexpr (!std::ranges::range<A>)
      return refusal::not_a_range;
    else if constexpr (std::is_void_v<Out>)
      return refusal::arguments;
    else if constexpr (!random_access_source<A> || !random_access_source<B>)
      return refusal::range_kind;
    else if constexpr (!can_be_put_out<std::remove_cvref_t<Out>, std::ranges::range_reference_t<A>,
                                       std::ranges::range_reference_t<B>>)
      return refusal::output;
    else if constexpr (!std::is_void_v<Less>)
      return why_no_comparator<Less, std::ranges::range_reference_t<B>,
                               std::ranges::range_reference_t<A>>();
    else
      return refusal::arguments;
  }

  template <std::random_access_iterator A, std::random_access_iterator B, class Out,
            class Less = std::less<>>
  requires merges<Less, std::iter_reference_t<A>, std::iter_reference_t<B>, Out>
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
  template <random_access_source A, random_access_source B, class Out, class Less = std::less<>>
  requires merges<Less, std::ranges::range_reference_t<A>, std::ranges::range_reference_t<B>, Out>
  Out operator()(A&& a, B&& b, Out out, Less less = {}) const {
    const auto first = std::ranges::begin(a);
    const auto first2 = std::ranges::begin(b);
    return operator()(first, iterator_at(first, as_count(std::ranges::size(a))), first2,
                      iterator_at(first2, as_count(std::ranges::size(b))), out, less);
  }

 private:
  template <class A, class B, class Out, class Less>
  static consteval refusal why_not_iterators() {
    using b = std::remove_cvref_t<B>;
    if constexpr (std::is_void_v<Out>)
      return refusal::arguments;
    else if constexpr (!std::random_access_iterator<A> || !std::random_access_iterator<b>)
      return refusal::iterator;
    else if constexpr (!can_be_put_out<std::remove_cvref_t<Out>, std::iter_reference_t<A>,
                                       std::iter_reference_t<b>>)
      return refusal::output;
    else if constexpr (std::is_void_v<Less>)
      return refusal::arguments;
    else
      return why_no_comparator<Less, std::iter_reference_t<b>, std::iter_reference_t<A>>();
  }
};

}  // namespace detail

struct merge_function : detail::algorithm<detail::merge_impl> {};

inline constexpr merge_function merge{};

}  // namespace heist::inline v0
