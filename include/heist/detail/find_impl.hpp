// The machinery of <heist/find.hpp>: loops that end early.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/detail/parallel/stoppable.hpp"
#include "heist/find.hpp"

namespace heist::inline v0 {

namespace detail {

// The first offset in [first, last) with test(offset), or last. Four at a time, as std does.
template <class Test>
std::size_t search(std::size_t first, std::size_t last, const Test& test) {
  std::size_t i = first;
  for (; last - i >= 4; i += 4) {
    if (test(i)) return i;
    if (test(i + 1)) return i + 1;
    if (test(i + 2)) return i + 2;
    if (test(i + 3)) return i + 3;
  }
  while (i < last && !test(i)) ++i;
  return i;
}

// The least offset in [0, n) with test(offset), or n; throws what a serial search throws, which
// never reaches what is right of the answer. Relaxed: only the offsets themselves are passed on.
template <class Test, class Stop>
std::size_t find_first(std::size_t n, const stopped_by<Stop>& by, const Test& test) {
  std::atomic<std::size_t> found{n};
  leftmost_place threw;
  const auto chunk = [&](std::size_t first, std::size_t last) {
    const std::size_t best = found.load(std::memory_order_relaxed);
    if (best <= first) return false;  // only what is to the left matters
    std::size_t i;
    try {
      i = search(first, last, test);
    } catch (...) {
      threw.note(first);
      throw;
    }
    if (i == last) return true;
    std::size_t old = found.load(std::memory_order_relaxed);
    while (i < old && !found.compare_exchange_weak(old, i, std::memory_order_relaxed,
                                                   std::memory_order_relaxed)) {
    }
    return false;
  };
  try {
    run_stoppable(
        n, by, chunk, [n](const auto& work) { split_on_demand(n, work); },
        [&] { return found.load(std::memory_order_relaxed); });
  } catch (...) {
    // Everything to the left of the exception was searched nevertheless, unless the search was
    // stopped.
    if constexpr (!std::is_same_v<Stop, never_stops>) throw;
    const std::size_t best = found.load(std::memory_order_relaxed);
    if (best == n || threw.is_left_of(best) || !threw.has_any()) throw;
  }
  return found.load(std::memory_order_relaxed);
}

// Any offset with test(offset), or n. All workers stop soon after one is found.
template <class Test, class Stop>
std::size_t find_some(std::size_t n, const stopped_by<Stop>& by, const Test& test) {
  std::atomic<std::size_t> found{n};
  const auto chunk = [&](std::size_t first, std::size_t last) {
    if (found.load(std::memory_order_relaxed) != n) return false;
    const std::size_t i = search(first, last, test);
    if (i != last) found.store(i, std::memory_order_relaxed);
    return i == last;
  };
  const auto all_or_none = [&] { return found.load(std::memory_order_relaxed) == n ? n : 0; };
  run_stoppable(
      n, by, chunk, [n](const auto& work) { split_on_demand(n, work); }, all_or_none);
  return found.load(std::memory_order_relaxed);
}

template <class It, class Predicate>
auto satisfies(const It& first, Predicate& predicate) {
  return [&predicate, first](std::size_t i) {
    return static_cast<bool>(predicate(element_at(first, i)));
  };
}

template <class It, class Predicate>
concept searches =
    std::random_access_iterator<It> && std::predicate<Predicate&, std::iter_reference_t<It>>;

template <class Stop = never_stops>
struct find_if_impl : stopped_by<Stop>, takes_predicate {
  template <class S>
  using with_stop = find_if_impl<S>;

  template <class It, class Predicate>
  requires searches<It, Predicate>
  It operator()(It first, It last, Predicate&& predicate) const {
    return iterator_at(first,
                       find_first(length_of(first, last), *this, satisfies(first, predicate)));
  }
};

template <class Stop = never_stops>
struct find_impl : stopped_by<Stop>, takes_value {
  template <class S>
  using with_stop = find_impl<S>;

  template <std::random_access_iterator It, class T>
  requires is_compared<It, T>
  It operator()(It first, It last, const T& value) const {
    return iterator_at(first, find_first(length_of(first, last), *this, [&](std::size_t i) {
                         return static_cast<bool>(element_at(first, i) == value);
                       }));
  }
};

template <class Stop = never_stops>
struct find_any_impl : stopped_by<Stop>, takes_predicate {
  template <class S>
  using with_stop = find_any_impl<S>;

  template <class It, class Predicate>
  requires searches<It, Predicate>
  It operator()(It first, It last, Predicate&& predicate) const {
    return iterator_at(first,
                       find_some(length_of(first, last), *this, satisfies(first, predicate)));
  }
};

enum class quantifier : std::uint8_t { any, all, none };

// Searches for an element that decides the answer: one that satisfies the predicate, or for `all`
// one that doesn't.
template <quantifier Quantifier, class Stop = never_stops>
struct quantified_impl : stopped_by<Stop>, takes_predicate {
  template <class S>
  using with_stop = quantified_impl<Quantifier, S>;

  template <class It, class Predicate>
  requires searches<It, Predicate>
  bool operator()(It first, It last, Predicate&& predicate) const {
    const std::size_t n = length_of(first, last);
    const auto decides = [&](std::size_t i) {
      return static_cast<bool>(predicate(element_at(first, i))) == (Quantifier != quantifier::all);
    };
    const bool is_decided = find_some(n, *this, decides) != n;
    return is_decided == (Quantifier == quantifier::any);
  }
};

}  // namespace detail

struct find_function : detail::algorithm<detail::with_ranges<detail::find_impl<>>> {};
struct find_if_function : detail::algorithm<detail::with_ranges<detail::find_if_impl<>>> {};
struct find_any_function : detail::algorithm<detail::with_ranges<detail::find_any_impl<>>> {};
struct any_of_function
    : detail::algorithm<detail::with_ranges<detail::quantified_impl<detail::quantifier::any>,
                                            detail::result_is::apart>> {};
struct all_of_function
    : detail::algorithm<detail::with_ranges<detail::quantified_impl<detail::quantifier::all>,
                                            detail::result_is::apart>> {};
struct none_of_function
    : detail::algorithm<detail::with_ranges<detail::quantified_impl<detail::quantifier::none>,
                                            detail::result_is::apart>> {};

inline constexpr find_function find{};
inline constexpr find_if_function find_if{};
inline constexpr find_any_function find_any{};
inline constexpr any_of_function any_of{};
inline constexpr all_of_function all_of{};
inline constexpr none_of_function none_of{};

}  // namespace heist::inline v0
