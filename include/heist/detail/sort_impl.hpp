// The machinery of <heist/sort.hpp>: which sort is for which elements.
#pragma once

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/parallel/element_buffer.hpp"
#include "heist/detail/parallel/heavy_sort.hpp"
#include "heist/detail/parallel/key_sort.hpp"
#include "heist/detail/parallel/light_sort.hpp"
#include "heist/detail/parallel/merge_sort.hpp"
#include "heist/detail/parallel/presorted.hpp"
#include "heist/detail/parallel/small_sort.hpp"
#include "heist/merge.hpp"
#include "heist/sort.hpp"

namespace heist::inline v0 {

namespace detail {

template <class T>
inline constexpr bool has_number_members = false;
template <class A, class B>
inline constexpr bool has_number_members<std::pair<A, B>> =
    std::is_arithmetic_v<A> && std::is_arithmetic_v<B>;
template <class First, class... Others>
inline constexpr bool has_number_members<std::tuple<First, Others...>> =
    std::is_arithmetic_v<First> && (std::is_arithmetic_v<Others> && ...);

// < of pairs and tuples of numbers, with the same result for all, also where one is NaN. Of std's,
// by way of <=>, g++ makes in a loop a jump that depends on which of two floating-point numbers is
// less, and is as random as they are; of this, one that depends on whether two members are equal.
struct by_members {
  template <class T>
  bool operator()(const T& x, const T& y) const {
    return from<0>(x, y);
  }

 private:
  template <std::size_t I, class T>
  static bool from(const T& x, const T& y) {
    const auto& a = std::get<I>(x);
    const auto& b = std::get<I>(y);
    if constexpr (I + 1 < std::tuple_size_v<T>)
      if (a == b) return from<I + 1>(x, y);
    return a < b;
  }
};
// The same from the greatest.
struct by_members_down {
  template <class T>
  bool operator()(const T& x, const T& y) const {
    return by_members()(y, x);
  }
};

template <stability Kind>
struct sort_impl : takes_comparator {
  template <std::random_access_iterator It, class Less = std::less<>>
  requires comparator_of<Less, It>
  void operator()(It first, It last, Less less = {}) const {
    using T = std::remove_cvref_t<std::iter_reference_t<It>>;
    if constexpr (has_number_members<T> && is_less<Less, T>)
      sort_all(first, last, by_members());
    else if constexpr (has_number_members<T> && is_greater<Less, T>)
      sort_all(first, last, by_members_down());
    else
      sort_all(first, last, std::move(less));
  }

 private:
  template <class It, class Less>
  static void sort_all(It first, It last, Less less) {
    const std::size_t n = length_of(first, last);
    if (n <= small_sort_size) return small_sort(plain(first), n, less);
    if constexpr (compares_scalars<It, Less> && !shares_words<It>)
      if (n <= sooner_than_a_pool && workers_here() == 0) return sort(plain(first), n, less, 1);
    on_a_worker([&](unsigned workers) {
      if constexpr (shares_words<It>)
        sort_apart(first, n, less, workers);
      else
        sort(plain(first), n, less, workers);
    });
  }

  // Elements that are sorted sooner on a thread outside any pool than it enters one, if a
  // comparison is an instruction.
  static constexpr std::size_t sooner_than_a_pool = 1024;
  template <class It, class Less, class T = std::iter_value_t<It>>
  static constexpr bool compares_scalars =
      std::is_scalar_v<T> && (is_less<Less, T> || is_greater<Less, T>);

  // Sorts where each element has memory of its own.
  template <class It, class Less>
  static void sort_apart(It first, std::size_t n, Less& less, unsigned workers) {
    element_buffer<std::iter_value_t<It>> elements(n);
    elements.move_in(first);
    const auto put_back = [&] { move_all(elements.data(), first, n, 1); };
    try {
      sort(elements.data(), n, less, workers);
    } catch (...) {
      put_back();
      throw;
    }
    put_back();
  }

  template <class It, class Less>
  static void sort(It first, std::size_t n, Less& less, unsigned workers) {
    using T = std::iter_value_t<It>;
    if constexpr (std::is_pointer_v<It> && compares_scalars<It, Less> && is_key<T> &&
                  !(Kind == stability::stable && std::is_floating_point_v<T>)) {  // -0.0 equals 0.0
      if (sort_keys(first, n, less, workers)) return;
    } else if (settled_by_order(first, n, less, workers)) {
      return;
    }
    if constexpr (std::is_pointer_v<It> && is_light<T>) {
      const element_buffer<T> buffer(n);
      light_sorter<T, Less>(less, workers).sort(first, buffer.data(), n, into::here);
    } else if constexpr (std::is_pointer_v<It> && moves_without_exception<T>) {
      heavy_sorter<T, Less, Kind>(less, workers).sort(first, n);
    } else {
      element_buffer<T> buffer(n);
      buffer.move_in(first);
      merge_sorter<Less>(less, workers).sort(buffer.data(), first, n, into::there);
    }
  }
};

}  // namespace detail

struct sort_function
    : detail::algorithm<detail::with_ranges<detail::sort_impl<detail::stability::any>>> {};
struct stable_sort_function
    : detail::algorithm<detail::with_ranges<detail::sort_impl<detail::stability::stable>>> {};

inline constexpr sort_function sort{};
inline constexpr stable_sort_function stable_sort{};

}  // namespace heist::inline v0
