// Sorting elements that are dear to move: pointers to them are sorted, and then each element is
// moved to its place, along the cycles of the permutation.
//
// If they are more than a cache holds, they are distributed among buckets first, so that what a
// pointer points to is near. A stable sort distributes them to another array, from which the
// buckets come back in order; each element is moved twice. Any other sort does all in place: the
// pages of a large new array cost more than moves within the array that is there. If elements that
// will be neighbours lie near one another, no element is moved but to its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "heist/detail/parallel/element_buffer.hpp"
#include "heist/detail/parallel/in_place.hpp"
#include "heist/detail/parallel/light_sort.hpp"
#include "heist/detail/parallel/presorted.hpp"
#include "heist/detail/parallel/sample_sort.hpp"
#include "heist/detail/parallel/scratch.hpp"

namespace heist::inline v0::detail {

template <class T>
inline constexpr bool moves_without_exception =
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;

enum class stability : std::uint8_t { any, stable };

template <class T, class Less, stability Kind>
class heavy_sorter {
  static_assert(moves_without_exception<T>);

 public:
  heavy_sorter(Less& less, unsigned workers) noexcept : less_{less}, workers_(workers) {}

  // n elements that are not in order. Throws std::bad_alloc before anything is moved.
  void sort(T* first, std::size_t n) {
    const bool near = is_near(first, n);
    if (!near && n > few_bytes / sizeof(T) && n >= distribution_cutoff &&
        distribute(first, n, most_distributions))
      return;
    const unsigned sorting = near && workers_ <= few_workers ? 1 : workers_;
    if (!sort_through_places(first, n, sorting)) throw std::bad_alloc();
  }

 private:
  using place = T*;
  using among_buckets = distribution<T, place, Less>;
  static constexpr unsigned most_distributions = 3;
  static constexpr std::size_t few_bytes = std::size_t{1} << 19;  // what a cache holds

  struct by_element {
    Less& of_elements;
    bool operator()(const T* a, const T* b) const { return of_elements(*a, *b); }
  };

  void sort_places(T* first, std::size_t n, place* places, unsigned workers) {
    for (std::size_t i = 0; i < n; ++i) places[i] = first + i;
    light_sorter<place, by_element>(less_, workers).sort(places, places + n, n, into::here);
  }

  // Whether elements that will be neighbours are mostly near one another.
  bool is_near(T* first, std::size_t n) {
    const disorder seen = disorder_of(first, n, less_.of_elements);
    return seen == disorder::little ||
           (seen == disorder::runs && lies_in_few_blocks(first, n, less_.of_elements));
  }

  // False: there is no memory, and nothing was moved.
  bool sort_through_places(T* first, std::size_t n, unsigned workers) {
    const scratch<place> places(2 * n);
    if (places.data() == nullptr) return false;
    sort_places(first, n, places.data(), workers);
    follow_cycles(first, n, places.data());
    return true;
  }

  // False: no buckets were found, and nothing was moved.
  bool distribute(T* first, std::size_t n, unsigned distributions) {
    const auto sort_sample = [this](place* sample, place* buffer, std::size_t m) {
      light_sorter<place, by_element>(less_, 1).sort(sample, buffer, m, into::here);
    };
    among_buckets among(first, n, less_.of_elements, workers_, sort_sample);
    if (!among.plan()) return false;
    if constexpr (Kind == stability::stable)
      sort_buckets_apart(first, n, among);
    else
      sort_buckets(first, among, n, distributions - 1);
    return true;
  }

  void sort_buckets(T* first, among_buckets& among, std::size_t n, unsigned distributions) {
    among.classify();
    bucket_order<T, typename among_buckets::bucket>(first, among.buckets(), among.starts(),
                                                    among.heads())
        .bring(0, among.number(), workers_);
    among.for_each_bucket([&](std::size_t start, std::size_t size, bool is_equal) {
      T* const bucket = first + start;
      if (is_equal || size == 1) return;
      if (size > few_bytes / sizeof(T) && size >= distribution_cutoff && size < n / 2 &&
          distributions > 0 && distribute(bucket, size, distributions))
        return;
      if (!sort_through_places(bucket, size, workers_)) sort_as_heap(bucket, size);
    });
  }

  // Without memory, and slowly.
  void sort_as_heap(T* first, std::size_t n) {
    for (std::size_t i = n / 2; i-- > 0;) sift(first, i, n);
    for (std::size_t i = n - 1; i > 0; --i) {
      std::ranges::iter_swap(first, first + i);
      sift(first, 0, i);
    }
  }
  void sift(T* first, std::size_t i, std::size_t n) {
    for (std::size_t child = 2 * i + 1; child < n; i = child, child = 2 * i + 1) {
      if (child + 1 < n && less_(first + child, first + child + 1)) ++child;
      if (!less_(first + i, first + child)) return;
      std::ranges::iter_swap(first + i, first + child);
    }
  }

  void sort_buckets_apart(T* first, std::size_t n, among_buckets& among) {
    element_buffer<T> buffer(n);
    T* const there = buffer.data();
    among.run([&](std::size_t from, std::size_t to) {
      std::construct_at(there + to, std::move(first[from]));
    });
    buffer.made_all();
    among.for_each_bucket([&](std::size_t start, std::size_t size, bool is_equal) {
      if (is_equal)
        move_all(there + start, first + start, size, workers_);
      else
        sort_bucket(there + start, size, first + start);
    });
  }

  void sort_bucket(T* from, std::size_t n, T* to) {
    const scratch<place> places(2 * n);
    if (places.data() == nullptr) return sort_without_memory(from, n, to);
    sort_places(from, n, places.data(), workers_);
    split_calls(
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
