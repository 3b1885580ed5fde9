// Sorting a few elements, stably: the leaves of the merge sort.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "heist/detail/parallel/merging.hpp"

namespace heist::inline v0::detail {

inline constexpr std::size_t small_sort_size = 32;

// Each element moves down past the greater ones. Bounds are tested, so any `less` is safe.
template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
  if (first == last) return;
  for (It i = std::next(first); i != last; ++i) {
    if (!less(*i, *std::prev(i))) continue;
    std::iter_value_t<It> moving(std::ranges::iter_move(i));
    It hole = i;
    do {
      const It before = std::prev(hole);
      *hole = std::ranges::iter_move(before);
      hole = before;
    } while (hole != first && less(moving, *std::prev(hole)));
    *hole = std::move(moving);
  }
}

// Sorts four elements with five comparisons and no branch. Whatever `less` says, no element is
// lost. Source: the stable sorting of four in Rust's standard library (Bergdoll, Peters: driftsort,
// 2024).
template <class T, class Less>
void sort_four(const T* v, T* out, Less& less) {
  const bool c1 = less(v[1], v[0]);
  const bool c2 = less(v[3], v[2]);
  const T* const a = v + c1;  // a, b and c, d are in order
  const T* const b = v + !c1;
  const T* const c = v + 2 + c2;
  const T* const d = v + 2 + !c2;
  const bool c3 = less(*c, *a);
  const bool c4 = less(*d, *b);
  const T* const left = c3 ? a : c4 ? c : b;
  const T* const right = c4 ? d : c3 ? b : c;
  const bool c5 = less(*right, *left);
  const T least = c3 ? *c : *a;
  const T second = c5 ? *right : *left;
  const T third = c5 ? *left : *right;
  const T greatest = c4 ? *b : *d;
  out[0] = least;
  out[1] = second;
  out[2] = third;
  out[3] = greatest;
}

// Merges two sorted halves of h elements each into out, from both ends. If `less` is an order, the
// chains meet. If they don't meet, it isn't one, and the result would have some elements twice:
// then the halves are merged step by step.
template <class T, class Less>
void merge_halves(const T* v, std::size_t h, T* out, Less& less) {
  const T* a = v;
  const T* b = v + h;
  const T* a_end = v + h;
  const T* b_end = b + h;
  for (std::size_t i = 0; i < h; ++i) {
    const bool b_first = less(*b, *a);
    out[i] = b_first ? *b : *a;
    b += b_first;
    a += !b_first;
    const bool a_last = less(b_end[-1], a_end[-1]);
    out[2 * h - 1 - i] = a_last ? a_end[-1] : b_end[-1];
    a_end -= a_last;
    b_end -= !a_last;
  }
  if (a != a_end) [[unlikely]]
    merge_simply<by_copy>(v, v + h, v + h, v + 2 * h, out, less);
}

// Sorts exactly small_sort_size elements of a light type.
template <class T, class Less>
void sort_light_block(T* v, Less& less) {
  alignas(T) std::byte bytes[small_sort_size * sizeof(T)];
  T* const buffer = reinterpret_cast<T*>(bytes);
  for (std::size_t i = 0; i < small_sort_size; i += 4) sort_four(v + i, buffer + i, less);
  for (std::size_t i = 0; i < small_sort_size; i += 8) merge_halves(buffer + i, 4, v + i, less);
  for (std::size_t i = 0; i < small_sort_size; i += 16) merge_halves(v + i, 8, buffer + i, less);
  merge_halves(buffer, 16, v, less);
}

// Sorts at most small_sort_size elements.
template <class It, class Less>
void small_sort(It first, std::size_t n, Less& less) {
  if constexpr (std::is_pointer_v<It> && is_light<std::iter_value_t<It>>) {
    if (n == small_sort_size) return sort_light_block(first, less);
  }
  insertion_sort(first, iterator_at(first, n), less);
}

}  // namespace heist::inline v0::detail
