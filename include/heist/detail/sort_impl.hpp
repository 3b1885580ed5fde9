// The machinery of <heist/sort.hpp>: the merge sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/element_buffer.hpp"
#include "heist/detail/parallel/sample_sort.hpp"
#include "heist/detail/parallel/small_sort.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/find.hpp"
#include "heist/merge.hpp"
#include "heist/sort.hpp"

namespace heist::inline v0 {

namespace detail {

// Distributes: whether many elements are distributed among buckets first.
template <class Less, bool Distributes>
class merge_sorter {
 public:
  merge_sorter(Less& less, unsigned workers) noexcept : less_(less), workers_(workers) {}

  enum class into : std::uint8_t { here, there };

  // Sorts the n elements at `here` into that place or into the other one, which is as large.
  template <class Here, class There>
  void sort(Here here, There there, std::size_t n, into place, unsigned distributions = 2) {
    if (n <= small_sort_size) {
      small_sort(here, n, less_);
      return bring(here, there, n, place);
    }
    if (settled_by_order(here, n)) return bring(here, there, n, place);
    if constexpr (Distributes && std::is_pointer_v<Here> && std::is_pointer_v<There>) {
      using T = std::iter_value_t<Here>;
      if (!is_light<T> && n <= few_bytes / sizeof(T)) {
        if (sort_through_places(here, there, n, place)) return;
      } else if (distributions > 0 && n >= distribution_cutoff && !has_runs(here, n)) {
        if (distribute(here, there, n, place, distributions - 1)) return;
      }
    }
    // Blocks of small_sort_size elements, except for the last one.
    const std::size_t half = (n / 2 + small_sort_size - 1) / small_sort_size * small_sort_size;
    const into halves = place == into::here ? into::there : into::here;
    const auto left = [&, this] { sort(here, there, half, halves, 0); };
    const auto right = [&, this] {
      sort(iterator_at(here, half), iterator_at(there, half), n - half, halves, 0);
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
  static constexpr std::size_t few_bytes = std::size_t{1} << 19;  // what a cache holds
  static constexpr std::size_t windows = 32, window = 16;         // what has_runs looks at

  template <class T>
  bool distribute(T* here, T* there, std::size_t n, into place, unsigned distributions) {
    distribution<T, Less> among(here, there, n, less_, workers_,
                                [this](const T** places, std::size_t m) {
                                  std::vector<const T*> buffer(m);
                                  sort_places(places, buffer.data(), m);
                                });
    if (is_light<T> && !among.has_equal_buckets()) return false;
    among.run();
    const into back = place == into::here ? into::there : into::here;
    among.for_each_bucket([&](std::size_t first, std::size_t size, bool is_equal) {
      if (is_equal)
        bring(there + first, here + first, size, back);
      else
        sort(there + first, here + first, size, back, size < n / 2 ? distributions : 0);
    });
    return true;
  }

  // Sorts pointers to heavy elements, and moves each element once. False: no memory for that.
  template <class T>
  bool sort_through_places(T* here, T* there, std::size_t n, into place) {
    const std::unique_ptr<const T*[]> places(new (std::nothrow) const T*[2 * n]);
    if (places == nullptr) return false;
    for (std::size_t i = 0; i < n; ++i) places[i] = here + i;
    sort_places(places.get(), places.get() + n, n);
    for (std::size_t i = 0; i < n; ++i) there[i] = std::move(*const_cast<T*>(places[i]));
    if (place == into::here) bring(there, here, n, into::there);
    return true;
  }

  template <class T>
  void sort_places(const T** places, const T** buffer, std::size_t n) {
    const auto less = [this](const T* a, const T* b) -> bool { return less_(*a, *b); };
    using sorter = merge_sorter<decltype(less), false>;
    sorter(less, 1).sort(places, buffer, n, sorter::into::here, 0);
  }

  // Whether neighbours are mostly in order, or mostly in the opposite order, as in an array of sorted
  // parts: merging them takes few comparisons.
  template <class It>
  bool has_runs(It first, std::size_t n) {
    std::size_t turns = 0;
    for (std::size_t w = 0; w < windows; ++w) {
      const It from = iterator_at(first, n / windows * w);
      bool descended = less_(element_at(from, 1), element_at(from, 0));
      for (std::size_t i = 1; i < window; ++i) {
        const bool descends = less_(element_at(from, i + 1), element_at(from, i));
        turns += descends != descended ? 1 : 0;
        descended = descends;
      }
    }
    return turns < windows * window / 8;
  }

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
    using sorter = merge_sorter<Less, true>;
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
