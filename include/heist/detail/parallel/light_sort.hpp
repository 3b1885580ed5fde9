// Sorting elements that are cheap to copy, stably, between two arrays of them.
//
// Elements in order, or nearly, are detected. Others are distributed among up to 256 buckets, by a
// sample of them, and buckets of some hundreds are sorted by pivots: as many as one cache holds
// take one distribution, and a hundred times as many two. What neither distributions nor pivots cut
// into smaller parts is merge-sorted, so the comparisons are O(n log n) for every input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heist/detail/parallel/merging.hpp"
#include "heist/detail/parallel/presorted.hpp"
#include "heist/detail/parallel/sample_sort.hpp"
#include "heist/detail/parallel/small_sort.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

enum class into : std::uint8_t { here, there };
constexpr into other(into place) { return place == into::here ? into::there : into::here; }

inline constexpr std::size_t fork_cutoff = 512;  // elements that one worker sorts

template <class T, class Less>
class light_sorter {
 public:
  light_sorter(Less& less, unsigned workers) noexcept : less_(less), workers_(workers) {}

  // Sorts the n elements at `here` into that place or into the other one, which is as large.
  void sort(T* here, T* there, std::size_t n, into place) {
    if (n > small_sort_size && settled_by_order(here, n, less_, workers_))
      return bring(here, there, n, place);
    sort(here, there, n, place, disorder_of(here, n, less_), most_distributions);
  }

 private:
  static constexpr unsigned most_distributions = 3;
  // A pivot is bad if it leaves less than one of so many on a side.
  static constexpr std::size_t uneven = 16;

  void sort(T* here, T* there, std::size_t n, into place, disorder seen, unsigned distributions) {
    if (n <= small_sort_size) return sort_light(here, n, place == into::here ? here : there, less_);
    if (seen == disorder::little && (workers_ <= few_workers || n <= parallel_pass)) {
      if (nearly_sorted<T, Less>(here, there, n, less_).sort()) return bring(here, there, n, place);
      seen = disorder::much;
    }
    if (seen == disorder::much && distributions > 0 && n >= distribution_cutoff) {
      if (distribute(here, there, n, place, distributions - 1)) return;
      distributions = 0;
    }
    if (seen == disorder::much && n < distribution_cutoff)
      return sort_by_pivots(here, there, n, place);
    merge_halves_of(here, there, n, place, seen, distributions);
  }

  void merge_halves_of(T* here, T* there, std::size_t n, into place, disorder seen,
                       unsigned distributions) {
    const std::size_t half = cut_for_merging(here, n, less_, workers_);
    const auto part = [&, this](std::size_t first, std::size_t size) {
      if (size > small_sort_size && settled_by_order(here + first, size, less_, workers_))
        bring(here + first, there + first, size, other(place));
      else
        sort(here + first, there + first, size, other(place), seen, distributions);
    };
    if (workers_ > 1 && n > fork_cutoff) {
      fork_join([&] { part(0, half); }, [&] { part(half, n - half); });
    } else {
      part(0, half);
      part(half, n - half);
    }
    T* const from = place == into::here ? there : here;
    T* const to = place == into::here ? here : there;
    if (workers_ > 1)
      merge_in_parallel<by_copy>(from, half, from + half, n - half, to, less_);
    else
      merge_serially<by_copy>(from, half, from + half, n - half, to, less_);
  }

  bool distribute(T* here, T* there, std::size_t n, into place, unsigned distributions) {
    const auto sort_sample = [this](T* sample, T* buffer, std::size_t m) {
      light_sorter(less_, 1).sort(sample, buffer, m, into::here, disorder::much, 0);
    };
    distribution<T, T, Less> among(here, n, less_, workers_, sort_sample);
    if (!among.plan()) return false;
    among.run([&](std::size_t from, std::size_t to) { there[to] = here[from]; });
    among.for_each_bucket([&](std::size_t first, std::size_t size, bool is_equal) {
      if (is_equal)
        bring(there + first, here + first, size, other(place));
      else
        sort(there + first, here + first, size, other(place), disorder::much,
             size < n / 2 ? distributions : 0);
    });
    return true;
  }

  // Few elements: those that are less than one of them, and the others, are sorted apart. As in
  // distributions, no branch depends on the result of a comparison.
  void sort_by_pivots(T* here, T* there, std::size_t n, into place) {
    while (n > small_sort_size) {
      const T pivot = *pivot_of(here, n);
      std::size_t size = part<false>(here, there, n, pivot);
      if (size == 0) {  // nothing is less: take out what is equal
        size = part<true>(here, there, n, pivot);
        if (place == into::there) transfer<by_copy>(here, here + size, there);
      } else if (size < n / uneven || n - size < n / uneven) {
        return merge_halves_of(here, there, n, place, disorder::runs, 0);
      } else {
        sort_by_pivots(here, there, size, place);
      }
      here += size;
      there += size;
      n -= size;
    }
    sort_light(here, n, place == into::here ? here : there, less_);
  }

  // Moves those that belong to the left of the pivot to the beginning, stably. How many they are.
  template <bool TakesEqual>
  std::size_t part(T* here, T* there, std::size_t n, const T& pivot) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T each = here[i];
      const bool is_left = TakesEqual ? !less_(pivot, each) : less_(each, pivot);
      here[left] = each;
      there[i - left] = each;
      left += is_left;
    }
    transfer<by_copy>(there, there + (n - left), here + left);
    return left;
  }

  const T* pivot_of(const T* v, std::size_t n) {
    const std::size_t step = n / 8;
    const auto median = [this](const T* a, const T* b, const T* c) {
      const bool ba = less_(*b, *a);
      const bool cb = less_(*c, *b);
      if (ba == cb) return b;
      return less_(*c, *a) == ba ? c : a;
    };
    if (n < 128) return median(v + step, v + 4 * step, v + 7 * step);
    return median(median(v, v + 3 * step, v + 6 * step),
                  median(v + step, v + 4 * step, v + 7 * step),
                  median(v + 2 * step, v + 5 * step, v + (n - 1)));
  }

  void bring(T* here, T* there, std::size_t n, into place) {
    if (place == into::there) move_all(here, there, n, workers_);
  }

  Less& less_;
  const unsigned workers_;
};

}  // namespace heist::inline v0::detail
