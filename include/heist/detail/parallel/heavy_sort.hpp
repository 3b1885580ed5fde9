// Sorting elements that are dear to move, stably: pointers to them are sorted, and then each element
// is moved to its place.
//
// If they are more than a cache holds, they are distributed among buckets first, in another array,
// so that what a pointer points to is near: each element is moved twice. If they are in order but
// for some of them, or in a few parts that are, neighbours are mostly near anyway: each is moved at
// most once, and in place.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "heist/detail/parallel/element_buffer.hpp"
#include "heist/detail/parallel/light_sort.hpp"
#include "heist/detail/parallel/presorted.hpp"
#include "heist/detail/parallel/sample_sort.hpp"
#include "heist/detail/parallel/scratch.hpp"

namespace heist::inline v0::detail {

template <class T>
inline constexpr bool moves_without_exception =
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;

template <class T, class Less>
class heavy_sorter {
  static_assert(moves_without_exception<T>);

 public:
  heavy_sorter(Less& less, unsigned workers) noexcept : less_{less}, workers_(workers) {}

  // n elements that are not in order. Throws std::bad_alloc before anything is moved.
  void sort(T* first, std::size_t n) {
    if (n > few_bytes / sizeof(T) && n >= distribution_cutoff &&
        disorder_of(first, n, less_.of_elements) == disorder::much && distribute(first, n))
      return;
    const scratch<place> places(2 * n);
    if (places.data() == nullptr) throw std::bad_alloc();
    sort_places(first, n, places.data(), workers_);
    arrange(first, n, places.data());
  }

 private:
  using place = T*;
  static constexpr std::size_t few_bytes = std::size_t{1} << 19;  // what a cache holds

  struct by_element {
    Less& of_elements;
    bool operator()(const T* a, const T* b) const { return of_elements(*a, *b); }
  };

  void sort_places(T* first, std::size_t n, place* places, unsigned workers) {
    for (std::size_t i = 0; i < n; ++i) places[i] = first + i;
    light_sorter<place, by_element>(less_, workers).sort(places, places + n, n, into::here);
  }

  // Moves to each place the element that belongs there: through another array if there are many and
  // there is memory for it, since then all moves are independent.
  void arrange(T* first, std::size_t n, place* from) {
    std::size_t moving = 0;
    for (std::size_t i = 0; i < n; ++i) moving += from[i] != first + i ? 1 : 0;
    if (moving < n / 4 || n <= few_bytes / sizeof(T) || !arrange_apart(first, n, from))
      follow_cycles(first, n, from);
  }

  bool arrange_apart(T* first, std::size_t n, place* from) {
    try {
      element_buffer<T> buffer(n);
      const auto make = [&](std::size_t f, std::size_t l) {
        for (std::size_t i = f; i != l; ++i)
          std::construct_at(buffer.data() + i, std::move(*from[i]));
      };
      split_on_demand(n, make, workers_);
      buffer.made_all();
      move_all(buffer.data(), first, n, workers_);
      return true;
    } catch (const std::bad_alloc&) {  // only the buffer's constructor throws
      return false;
    }
  }

  // Follows each cycle of the permutation: where an element belongs, there lies the next one.
  static void follow_cycles(T* first, std::size_t n, place* from) {
    for (std::size_t i = 0; i < n; ++i) {
      if (from[i] == first + i) continue;
      T moving(std::move(first[i]));
      std::size_t hole = i;
      for (;;) {
        T* const next = std::exchange(from[hole], first + hole);
        if (next == first + i) break;
        first[hole] = std::move(*next);
        hole = static_cast<std::size_t>(next - first);
      }
      first[hole] = std::move(moving);
    }
  }

  // False: there are too few buckets, and nothing was moved.
  bool distribute(T* first, std::size_t n) {
    const auto sort_sample = [this](place* sample, place* buffer, std::size_t m) {
      light_sorter<place, by_element>(less_, 1).sort(sample, buffer, m, into::here);
    };
    distribution<T, place, Less> among(first, n, less_.of_elements, workers_, sort_sample);
    if (!among.plan()) return false;
    element_buffer<T> buffer(n);
    T* const there = buffer.data();
    among.run(
        [&](std::size_t from, std::size_t to) { std::construct_at(there + to, std::move(first[from])); });
    buffer.made_all();
    among.for_each_bucket([&](std::size_t start, std::size_t size, bool is_equal) {
      if (is_equal)
        move_all(there + start, first + start, size, workers_);
      else
        sort_bucket(there + start, size, first + start);
    });
    return true;
  }

  void sort_bucket(T* from, std::size_t n, T* to) {
    const scratch<place> places(2 * n);
    if (places.data() == nullptr) return sort_without_memory(from, n, to);
    sort_places(from, n, places.data(), workers_);
    split_on_demand(
        n,
        [&](std::size_t f, std::size_t l) {
          for (std::size_t i = f; i != l; ++i) to[i] = std::move(*places[i]);
        },
        n < parallel_pass ? 1 : workers_);
  }

  // Merges from one array into the other; slow, as each element is moved many times.
  void sort_without_memory(T* from, std::size_t n, T* to) {
    if (n <= small_sort_size) {
      insertion_sort(from, from + n, less_.of_elements);
      return move_all(from, to, n, 1);
    }
    const std::size_t half = n / 2;
    sort_without_memory(from, half, to);
    sort_without_memory(from + half, n - half, to + half);
    move_all(to, from, n, 1);
    merge_simply<by_move>(from, from + half, from + half, from + n, to, less_.of_elements);
  }

  by_element less_;
  const unsigned workers_;
};

}  // namespace heist::inline v0::detail
