// Merging two sorted sequences, by one worker and by several.
#pragma once

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0::detail {

// How an element is transferred: std::merge copies, a sort moves.
struct by_copy {
  template <class It>
  [[gnu::always_inline]] static decltype(auto) from(const It& i) {
    return *i;
  }
};
struct by_move {
  template <class It>
  [[gnu::always_inline]] static auto from(const It& i) -> std::iter_rvalue_reference_t<It> {
    return std::ranges::iter_move(i);
  }
};

// A copy of its bytes is a copy of it, and assigning to memory without a value makes one there.
// Pairs and tuples assign their members one by one, and are no different for that.
template <class T>
inline constexpr bool is_its_bytes =
    std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> &&
    std::is_copy_assignable_v<T>;
template <class A, class B>
inline constexpr bool is_its_bytes<std::pair<A, B>> = is_its_bytes<A> && is_its_bytes<B>;
template <class... Members>
inline constexpr bool is_its_bytes<std::tuple<Members...>> = (is_its_bytes<Members> && ...);

// Elements that are cheap to copy, even in vain: merging them needs no branch that depends on data.
template <class T>
inline constexpr bool is_light = is_its_bytes<T> && sizeof(T) <= 32;

template <class Transfer, class It, class Out>
Out transfer(It first, It last, Out out) {
  for (; first != last; ++first, ++out) *out = Transfer::from(first);
  return out;
}

// Merges one element after the other; of equal elements those of a come first.
template <class Transfer, class A, class B, class Out, class Less>
void merge_simply(A a, A a_end, B b, B b_end, Out out, Less& less) {
  for (; a != a_end && b != b_end; ++out) {
    if (less(*b, *a)) {
      *out = Transfer::from(b);
      ++b;
    } else {
      *out = Transfer::from(a);
      ++a;
    }
  }
  transfer<Transfer>(b, b_end, transfer<Transfer>(a, a_end, out));
}

// Merges from both ends at once: two chains of loads that don't wait for each other. `steps` is
// small enough that neither chain can reach the other one, whatever `less` says.
template <class T, class Less>
void merge_from_both_ends(const T* a, const T* a_end, const T* b, const T* b_end, T* out,
                          Less& less) {
  T* out_end = out + (a_end - a) + (b_end - b);
  for (;;) {
    const std::ptrdiff_t shorter = a_end - a < b_end - b ? a_end - a : b_end - b;
    std::ptrdiff_t steps = shorter / 2;
    if (steps == 0) break;
    for (; steps > 0; --steps) {
      const bool b_first = less(*b, *a);
      *out++ = b_first ? *b : *a;
      b += b_first;
      a += !b_first;
      const bool a_last = less(b_end[-1], a_end[-1]);
      *--out_end = a_last ? a_end[-1] : b_end[-1];
      a_end -= a_last;
      b_end -= !a_last;
    }
  }
  merge_simply<by_copy>(a, a_end, b, b_end, out, less);
}

// Both inputs are sorted; `out` has space for both and doesn't overlap them.
template <class Transfer, class A, class B, class Out, class Less>
void merge_serially(A a, std::size_t a_size, B b, std::size_t b_size, Out out, Less& less) {
  const A a_end = iterator_at(a, a_size);
  const B b_end = iterator_at(b, b_size);
  if (a_size == 0 || b_size == 0 || !less(*b, a_end[-1]))  // nothing to merge
    transfer<Transfer>(b, b_end, transfer<Transfer>(a, a_end, out));
  else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B> && std::is_pointer_v<Out> &&
                     std::is_same_v<std::iter_value_t<A>, std::iter_value_t<Out>> &&
                     std::is_same_v<std::iter_value_t<B>, std::iter_value_t<Out>> &&
                     is_light<std::iter_value_t<Out>>)
    merge_from_both_ends<std::iter_value_t<Out>>(a, a_end, b, b_end, out, less);
  else
    merge_simply<Transfer>(a, a_end, b, b_end, out, less);
}

// The first offset in [0, n) whose element doesn't satisfy `before`, which those before it do; n if
// all do.
template <class It, class Before>
std::size_t partition_point(It first, std::size_t n, const Before& before) {
  std::size_t low = 0;
  while (low < n) {
    const std::size_t middle = low + (n - low) / 2;
    if (before(element_at(first, middle)))
      low = middle + 1;
    else
      n = middle;
  }
  return low;
}

inline constexpr std::size_t merge_cutoff =
    4096;  // elements that one worker merges: some microseconds

// Cuts the longer input in the middle and the other one where that element belongs. Cormen,
// Leiserson, Rivest, Stein: Introduction to Algorithms, 3rd edition, section 27.3; with bounds that
// keep the order of equal elements. Whatever `less` says, both parts have at least a quarter of the
// elements.
template <class Transfer, class A, class B, class Out, class Less>
void merge_in_parallel(A a, std::size_t a_size, B b, std::size_t b_size, Out out, Less& less) {
  if (a_size + b_size <= merge_cutoff)
    return merge_serially<Transfer>(a, a_size, b, b_size, out, less);
  std::size_t i = a_size / 2;
  std::size_t j = b_size / 2;
  if (a_size >= b_size)
    j = partition_point(b, b_size,
                        [&](const auto& e) -> bool { return less(e, element_at(a, i)); });
  else
    i = partition_point(a, a_size,
                        [&](const auto& e) -> bool { return !less(element_at(b, j), e); });
  fork_join([&] { merge_in_parallel<Transfer>(a, i, b, j, out, less); },
            [&] {
              merge_in_parallel<Transfer>(iterator_at(a, i), a_size - i, iterator_at(b, j),
                                          b_size - j, iterator_at(out, i + j), less);
            });
}

}  // namespace heist::inline v0::detail
