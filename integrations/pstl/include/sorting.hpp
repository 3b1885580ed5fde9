// Sorting, wholly or in part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <heist/chunks.hpp>
#include <heist/parallel_for.hpp>
#include <heist/sort.hpp>

#include "loop.hpp"
#include "merging.hpp"

namespace heist::pstl {

// Calls leaf_sort once for each of `blocks` parts of nearly equal length.
template <class Blocks, class Compare, class LeafSort>
void sort_blocks(const Blocks& first_of, std::size_t blocks, const Compare& compare,
                 const LeafSort& leaf_sort) {
  parallel_for(std::size_t{0}, blocks,
               [&](std::size_t k) noexcept { leaf_sort(first_of(k), first_of(k + 1), compare); });
}

// Both have k sorted elements; afterwards the first has the k least of them.
template <class It, class Compare>
void keep_least(It a, It b, std::ptrdiff_t k, const never_throws<Compare>& less) {
  using T = typename std::iterator_traits<It>::value_type;
  if (!less(*b, *(a + (k - 1)))) return;
  std::vector<T> all;
  all.reserve(2 * static_cast<std::size_t>(k));
  [&]() noexcept {
    // As std::merge, but elements are moved only when they have been compared: a comparison gets no
    // rvalue, which one that takes its arguments by value would empty.
    It left = a;
    It right = b;
    while (left != a + k || right != b + k) {
      const bool takes_right = right != b + k && (left == a + k || less(*right, *left));
      It& next = takes_right ? right : left;
      all.push_back(std::move(*next));
      ++next;
    }
    std::move(all.begin(), all.begin() + k, a);
    std::move(all.begin() + k, all.end(), b);
  }();
}

// leaf_sort brings the least k elements of a block to its front; then blocks are paired.
template <class It, class Compare, class LeafSort>
void sort_least(It first, std::ptrdiff_t n, std::ptrdiff_t k, std::ptrdiff_t blocks,
                const Compare& compare, const LeafSort& leaf_sort) {
  const auto first_of = [&](std::size_t block) {
    const auto i = static_cast<std::ptrdiff_t>(block);
    return first + (n / blocks * i + std::min(i, n % blocks));
  };
  const auto count = static_cast<std::size_t>(blocks);
  sort_blocks(first_of, count, compare, leaf_sort);
  const never_throws<Compare> less{compare};
  for (std::size_t step = 1; step < count; step *= 2)
    parallel_for(std::size_t{0}, (count - step + 2 * step - 1) / (2 * step), [&](std::size_t pair) {
      keep_least(first_of(2 * step * pair), first_of(2 * step * pair + step), k, less);
    });
}

inline constexpr std::ptrdiff_t serial_sort = 500;  // elements; no pool is entered for so few

// leaf_sort sorts a part, or as much of it as is wanted. sorted: how many of the least elements are
// wanted; 0: all, and leaf_sort is std's sort or stable_sort. Otherwise leaf_sort may also make the
// elements, so it must see each part of the range once.
template <class It, class Compare, class LeafSort>
void sort(It first, It last, const Compare& compare, const LeafSort& leaf_sort,
          std::size_t sorted) {
  const std::ptrdiff_t n = last - first;
  if (n <= serial_sort) return [&]() noexcept { leaf_sort(first, last, compare); }();
  const auto k = static_cast<std::ptrdiff_t>(sorted);
  constexpr std::ptrdiff_t least_block = 4096;
  const auto share = n / static_cast<std::ptrdiff_t>(4 * workers());
  const std::ptrdiff_t blocks = n / std::max({2 * k, share, least_block});
  if (k != 0 && k < n && blocks > 1) return sort_least(first, n, k, blocks, compare, leaf_sort);
  if (k != 0) {
    constexpr std::ptrdiff_t small = 16;
    const auto first_of = [&](std::size_t i) {
      return first + std::min(n, small * static_cast<std::ptrdiff_t>(i));
    };
    sort_blocks(first_of, static_cast<std::size_t>((n + small - 1) / small), compare, leaf_sort);
  }
  heist::stable_sort(first, last, never_throws<Compare>{compare});
}

}  // namespace heist::pstl
