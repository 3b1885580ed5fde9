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
// Steps are sums: std::prev() goes forward, without an end, where the iterator's category in C++17
// is that of an input iterator.
template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
  if (first == last) return;
  for (It i = first + 1; i != last; ++i) {
    if (!less(*i, *(i - 1))) continue;
    std::iter_value_t<It> moving(std::ranges::iter_move(i));
    It hole = i;
    do {
      const It before = hole - 1;
      *hole = std::ranges::iter_move(before);
      hole = before;
    } while (hole != first && less(moving, *(hole - 1)));
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

// Sorts three elements with three comparisons, likewise.
template <class T, class Less>
void sort_three(const T* v, T* out, Less& less) {
  const bool c1 = less(v[1], v[0]);
  const T* const low = v + c1;
  const T* const high = v + !c1;
  const T* const last = v + 2;
  const bool is_least = less(*last, *low);
  const bool is_inside = less(*last, *high) || is_least;
  const T least = is_least ? *last : *low;
  const T middle = is_least ? *low : is_inside ? *last : *high;
  const T greatest = is_inside ? *high : *last;
  out[0] = least;
  out[1] = middle;
  out[2] = greatest;
}

// Merges the sorted first n / 2 elements and the sorted others into out, from both ends. If `less`
// is an order, the chains meet. If they don't meet, it isn't one, and the result would have some
// elements twice: then the halves are merged step by step.
template <class T, class Less>
[[gnu::always_inline]] inline void merge_halves(const T* v, std::size_t n, T* out, Less& less) {
  const std::size_t half = n / 2;
  const T* a = v;
  const T* b = v + half;
  const T* a_end = v + half;
  const T* b_end = v + n;
  for (std::size_t i = 0; i < half; ++i) {
    const bool b_first = less(*b, *a);
    out[i] = b_first ? *b : *a;
    b += b_first;
    a += !b_first;
    const bool a_last = less(b_end[-1], a_end[-1]);
    out[n - 1 - i] = a_last ? a_end[-1] : b_end[-1];
    a_end -= a_last;
    b_end -= !a_last;
  }
  if (n % 2 != 0) {
    const bool is_b = a == a_end;
    out[half] = is_b ? *b : *a;
    b += is_b;
    a += !is_b;
  }
  if (a != a_end || b != b_end) [[unlikely]]
    merge_simply<by_copy>(v, v + half, v + half, v + n, out, less);
}

// Sorts exactly small_sort_size elements of a light type.
template <class T, class Less>
void sort_light_block(T* v, T* out, Less& less) {
  alignas(T) std::byte bytes[small_sort_size * sizeof(T)];
  T* const buffer = reinterpret_cast<T*>(bytes);
  for (std::size_t i = 0; i < small_sort_size; i += 4) sort_four(v + i, buffer + i, less);
  for (std::size_t i = 0; i < small_sort_size; i += 8) merge_halves(buffer + i, 8, v + i, less);
  for (std::size_t i = 0; i < small_sort_size; i += 16) merge_halves(v + i, 16, buffer + i, less);
  merge_halves(buffer, 32, out, less);
}

// Sorts 2 to small_sort_size elements of a light type from v to out, and leaves anything at v.
template <class T, class Less>
void sort_light(T* v, std::size_t n, T* out, Less& less) {
  if (n == small_sort_size) return sort_light_block(v, out, less);
  switch (n) {
    case 0:
      return;
    case 1:
      *out = *v;
      return;
    case 2: {
      const bool is_turned = less(v[1], v[0]);
      const T first = is_turned ? v[1] : v[0];
      const T second = is_turned ? v[0] : v[1];
      out[0] = first;
      out[1] = second;
      return;
    }
    case 3:
      return sort_three(v, out, less);
    case 4:
      return sort_four(v, out, less);
    default:
      break;
  }
  alignas(T) std::byte bytes[small_sort_size * sizeof(T)];
  T* const buffer = reinterpret_cast<T*>(bytes);
  const std::size_t half = n / 2;
  sort_light(v, half, buffer, less);
  sort_light(v + half, n - half, buffer + half, less);
  merge_halves(buffer, n, out, less);
}

// Sorts at most small_sort_size elements.
template <class It, class Less>
void small_sort(It first, std::size_t n, Less& less) {
  if constexpr (std::is_pointer_v<It> && is_light<std::iter_value_t<It>>)
    sort_light(first, n, first, less);
  else
    insertion_sort(first, iterator_at(first, n), less);
}

}  // namespace heist::inline v0::detail
