// Merging two sorted ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <heist/fork_join.hpp>
#include <heist/merge.hpp>

namespace heist::pstl {

// What compares elements: an exception of it ends the program.
template <class Compare>
struct never_throws {
  Compare compare;

  template <class L, class R>
  bool operator()(L&& left, R&& right) const noexcept {
    auto& own = const_cast<Compare&>(compare);  // some can't be called where they are constant
    return own(std::forward<L>(left), std::forward<R>(right));
  }
};

inline constexpr std::ptrdiff_t merge_at_once = 4096;  // elements: some microseconds

// leaf_merge makes the output of parts whose elements are then left alone; which of two equal
// elements comes first is the same as in the whole.
template <class A, class B, class Out, class Compare, class LeafMerge>
void merge_by_leaves(A a, A a_end, B b, B b_end, Out out, const never_throws<Compare>& less,
                     const LeafMerge& leaf_merge) {
  const std::ptrdiff_t a_size = a_end - a;
  const std::ptrdiff_t b_size = b_end - b;
  if (a_size + b_size <= merge_at_once) {
    [&]() noexcept { leaf_merge(a, a_end, b, b_end, out, less.compare); }();
    return;
  }
  A a_middle = a;
  B b_middle = b;
  if (a_size < b_size) {
    b_middle += b_size / 2;
    a_middle = std::upper_bound(a, a_end, *b_middle, less);
  } else {
    a_middle += a_size / 2;
    b_middle = std::lower_bound(b, b_end, *a_middle, less);
  }
  const Out out_middle = out + ((a_middle - a) + (b_middle - b));
  fork_join(
      [&] { merge_by_leaves(a, a_middle, b, b_middle, out, less, leaf_merge); },
      [&] { merge_by_leaves(a_middle, a_end, b_middle, b_end, out_middle, less, leaf_merge); });
}

// Of such elements it makes no difference how the output is made: copied, moved or constructed.
template <class A, class B, class Out>
inline constexpr bool are_bytes =
    std::contiguous_iterator<A> && std::contiguous_iterator<B> && std::contiguous_iterator<Out> &&
    std::is_trivially_copyable_v<std::iter_value_t<A>> &&
    std::is_trivially_default_constructible_v<std::iter_value_t<A>> &&
    std::is_same_v<std::iter_value_t<A>, std::iter_value_t<B>> &&
    std::is_same_v<std::iter_value_t<A>, std::iter_value_t<Out>>;

template <class A, class B, class Out, class Compare, class LeafMerge>
void merge(A a, A a_end, B b, B b_end, Out out, const Compare& compare,
           const LeafMerge& leaf_merge) {
  const never_throws<Compare> less{compare};
  if constexpr (are_bytes<A, B, Out>)
    heist::merge(a, a_end, b, b_end, out, less);
  else
    merge_by_leaves(a, a_end, b, b_end, out, less, leaf_merge);
}

}  // namespace heist::pstl
