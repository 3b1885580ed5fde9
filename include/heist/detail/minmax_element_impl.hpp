// The machinery of <heist/minmax_element.hpp>: the best element of each leaf, joined up the tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/parallel/leaf_tree.hpp"
#include "heist/minmax_element.hpp"

namespace heist::inline v0 {

namespace detail {

// best(first, last) is the best element of a leaf, better(left, right) the better of two.
template <class It, class Leaf, class Better>
struct best_of {
  It elements;
  leaf_cut cut;
  const Leaf& best;
  const Better& better;

  auto leaf(std::size_t which) const {
    return best(iterator_at(elements, cut.first(which)), iterator_at(elements, cut.last(which)));
  }
  template <class Best>
  Best join(const Best& left, const Best& right) const {
    return better(left, right);
  }
};

// first != last.
template <class It, class Leaf, class Better>
auto best_element(It first, It last, const Leaf& best, const Better& better) {
  const leaf_cut cut(length_of(first, last));
  return run_tree(cut.count(), best_of<It, Leaf, Better>{first, cut, best, better});
}

struct min_element_impl : takes_comparator {
  template <std::random_access_iterator It, class Less = std::less<>>
  requires comparator_of<Less, It>
  It operator()(It first, It last, Less less = {}) const {
    if (first == last) return last;
    return best_element(
        first, last, [&](It f, It l) { return std::min_element(f, l, std::ref(less)); },
        [&](It left, It right) { return less(*right, *left) ? right : left; });
  }
};

struct max_element_impl : takes_comparator {
  template <std::random_access_iterator It, class Less = std::less<>>
  requires comparator_of<Less, It>
  It operator()(It first, It last, Less less = {}) const {
    if (first == last) return last;
    return best_element(
        first, last, [&](It f, It l) { return std::max_element(f, l, std::ref(less)); },
        [&](It left, It right) { return less(*left, *right) ? right : left; });
  }
};

struct minmax_element_impl : takes_comparator {
  template <std::random_access_iterator It, class Less = std::less<>>
  requires comparator_of<Less, It>
  std::pair<It, It> operator()(It first, It last, Less less = {}) const {
    using both = std::pair<It, It>;
    if (first == last) return {last, last};
    return best_element(
        first, last, [&](It f, It l) { return std::minmax_element(f, l, std::ref(less)); },
        [&](const both& left, const both& right) {
          return both(less(*right.first, *left.first) ? right.first : left.first,
                      less(*right.second, *left.second) ? left.second : right.second);
        });
  }
};

}  // namespace detail

struct min_element_function : detail::algorithm<detail::with_ranges<detail::min_element_impl>> {};
struct max_element_function : detail::algorithm<detail::with_ranges<detail::max_element_impl>> {};
struct minmax_element_function
    : detail::algorithm<detail::with_ranges<detail::minmax_element_impl>> {};

inline constexpr min_element_function min_element{};
inline constexpr max_element_function max_element{};
inline constexpr minmax_element_function minmax_element{};

}  // namespace heist::inline v0
