// The merge sort of elements that are neither light nor can be moved without exceptions, and of
// those that don't lie side by side. Halves are sorted at the same time, each level merges from one
// sequence into the other, and a merge is itself cut into parts.
#pragma once

#include <cstddef>

#include "heist/detail/parallel/light_sort.hpp"
#include "heist/detail/parallel/merging.hpp"
#include "heist/detail/parallel/presorted.hpp"
#include "heist/detail/parallel/small_sort.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

template <class Less>
class merge_sorter {
 public:
  merge_sorter(Less& less, unsigned workers) noexcept : less_(less), workers_(workers) {}

  // Sorts the n elements at `here` into that place or into the other one, which is as large.
  template <class Here, class There>
  void sort(Here here, There there, std::size_t n, into place) {
    if (n <= small_sort_size) {
      small_sort(here, n, less_);
      if (place == into::there) move_all(here, there, n, 1);
      return;
    }
    if (settled_by_order(here, n, less_, workers_)) {
      if (place == into::there) move_all(here, there, n, workers_);
      return;
    }
    const std::size_t half = cut_for_merging(here, n, less_, workers_);
    const auto left = [&, this] { sort(here, there, half, other(place)); };
    const auto right = [&, this] {
      sort(iterator_at(here, half), iterator_at(there, half), n - half, other(place));
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
  template <class From, class To>
  void merge(From from, std::size_t half, std::size_t n, To destination) {
    const From second = iterator_at(from, half);
    if (workers_ > 1)
      merge_in_parallel<by_move>(from, half, second, n - half, destination, less_);
    else
      merge_serially<by_move>(from, half, second, n - half, destination, less_);
  }

  Less& less_;
  const unsigned workers_;
};

}  // namespace heist::inline v0::detail
