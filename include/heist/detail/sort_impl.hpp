// The machinery of <heist/sort.hpp>: the merge sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/element_buffer.hpp"
#include "heist/detail/parallel/small_sort.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/find.hpp"
#include "heist/merge.hpp"
#include "heist/sort.hpp"

namespace heist::inline v0 {

namespace detail {

template <class Less>
class merge_sorter {
 public:
  merge_sorter(Less& less, unsigned workers) noexcept : less_(less), workers_(workers) {}

  enum class into : std::uint8_t { here, there };

  // Sorts the n elements at `here` into that place or into the other one, which is as large.
  template <class Here, class There>
  void sort(Here here, There there, std::size_t n, into place) {
    if (n <= small_sort_size) {
      small_sort(here, n, less_);
      return bring(here, there, n, place);
    }
    if (settled_by_order(here, n)) return bring(here, there, n, place);
    // Blocks of small_sort_size elements, except for the last one.
    const std::size_t half = (n / 2 + small_sort_size - 1) / small_sort_size * small_sort_size;
    const into halves = place == into::here ? into::there : into::here;
    const auto left = [&, this] { sort(here, there, half, halves); };
    const auto right = [&, this] {
      sort(iterator_at(here, half), iterator_at(there, half), n - half, halves);
    };
    if (workers_ > 1 && n > fork_cutoff) {
      fork_join(left, right);
    } else {
      left();
      right();
    }
    if (place == into::here)
      merge(there, half, n, here);
    else
      merge(here, half, n, there);
  }

 private:
  static constexpr std::size_t fork_cutoff = 512;  // elements that one worker sorts
  // Elements; from here on the search for order is parallel.
  static constexpr std::size_t search_cutoff = 16'384;

  template <class From, class To>
  void merge(From from, std::size_t half, std::size_t n, To destination) {
    const From second = iterator_at(from, half);
    if (workers_ > 1)
      merge_in_parallel<by_move>(from, half, second, n - half, destination, less_);
    else
      merge_serially<by_move>(from, half, second, n - half, destination, less_);
  }

  template <class Here, class There>
  void bring(Here here, There there, std::size_t n, into place) {
    if (place == into::here) return;
    split_on_demand(
        n,
        [&](std::size_t f, std::size_t l) {
          transfer<by_move>(iterator_at(here, f), iterator_at(here, l), iterator_at(there, f));
        },
        n < search_cutoff ? 1 : workers_);
  }

  // Whether the elements were in order, or were in the opposite order and have been reversed.
  template <class It>
  bool settled_by_order(It first, std::size_t n) {
    const auto descends = [&](std::size_t i) -> bool {
      return less_(element_at(first, i + 1), element_at(first, i));
    };
    const auto ascends = [&](std::size_t i) { return !descends(i); };
    if (!descends(0)) return holds_nowhere(n - 1, descends);
    if (!holds_nowhere(n - 1, ascends)) return false;
    split_on_demand(
        n / 2,
        [&](std::size_t f, std::size_t l) {
          for (std::size_t i = f; i != l; ++i)
            std::ranges::iter_swap(iterator_at(first, i), iterator_at(first, n - 1 - i));
        },
        n < search_cutoff ? 1 : workers_);
    return true;
  }

  template <class Test>
  bool holds_nowhere(std::size_t n, const Test& test) {
    if (n < search_cutoff) return search(0, n, test) == n;
    return find_some(n, stopped_by<never_stops>{}, test) == n;
  }

  Less& less_;
  const unsigned workers_;
};

struct sort_impl {
  template <std::random_access_iterator It, class Less = std::less<>>
  void operator()(It first, It last, Less less = {}) const {
    const std::size_t n = length_of(first, last);
    if (n <= small_sort_size) return small_sort(plain(first), n, less);
    on_a_worker([&](unsigned workers) { sort(plain(first), n, less, workers); });
  }

 private:
  template <class It, class Less>
  static void sort(It first, std::size_t n, Less& less, unsigned workers) {
    using sorter = merge_sorter<Less>;
    using T = std::iter_value_t<It>;
    element_buffer<T> buffer(n);
    if constexpr (std::is_pointer_v<It> && std::is_trivially_copyable_v<T>) {
      sorter(less, workers).sort(first, buffer.data(), n, sorter::into::here);
    } else {
      buffer.move_in(first);
      sorter(less, workers).sort(buffer.data(), first, n, sorter::into::there);
    }
  }
};

}  // namespace detail

struct sort_function : detail::algorithm<detail::with_ranges<detail::sort_impl>> {};

inline constexpr sort_function sort{};
inline constexpr sort_function stable_sort{};

}  // namespace heist::inline v0
