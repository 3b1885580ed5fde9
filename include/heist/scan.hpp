// inclusive_scan and exclusive_scan: std's, with the same bits for any number of workers.
//
// The tree. n elements are cut into leaves of sqrt(n) elements (rounded down), at least 1 and at most 1024; the last one may be
// shorter. A leaf's sum is folded from left to right. The offset of the first leaf is the initial value, if there is one; that
// of each other leaf is the one before, op that leaf's sum (or that sum alone). What is put out is the leaf's offset
// with the leaf's elements folded in one after the other.
//
// How it runs. In blocks of 1024 leaves, so that a block is still in the caches when it is read again: all sums of a block, all
// offsets, all outputs. One worker alone does the three in one pass, with the same operations.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/merge.hpp"
#include "heist/parallel/leaf_tree.hpp"
#include "heist/parallel/split_loop.hpp"

namespace heist::inline v0 {

namespace detail {

enum class scan_kind : std::uint8_t { inclusive, exclusive };

constexpr std::size_t scan_leaf(std::size_t n) noexcept {
  std::size_t root = 1;
  while (root < 1024 && (root + 1) * (root + 1) <= n) ++root;
  return root;
}

template <scan_kind Kind, class T, class In, class Out, class Op>
class scanner {
 public:
  scanner(In in, Out out, std::size_t n, Op& op, unsigned workers)
      : in_(in), out_(out), op_(op), cut_(n, scan_leaf(n)), workers_(workers) {}

  // `offset`: the initial value, or nothing.
  void run(std::optional<T> offset) {
    const std::size_t leaves = cut_.count();
    if (workers_ <= 1) {
      for (std::size_t k = 0; k < leaves; ++k) {
        if (k + 1 == leaves) return put_out(k, std::move(offset));
        std::optional<T> next = put_out_and_sum(k, offset);
        offset = std::move(next);
      }
      return;
    }
    const std::size_t room = leaves < block ? leaves : block;
    const std::unique_ptr<std::optional<T>[]> sums(new std::optional<T>[room]);
    for (std::size_t first = 0; first < leaves; first += block) {
      const std::size_t count = leaves - first < block ? leaves - first : block;
      over_leaves(count, [&](std::size_t k) { sums[k].emplace(sum(first + k)); });
      for (std::size_t k = 0; k < count; ++k) {  // the sums become offsets
        std::optional<T> next(joined(offset, std::move(*sums[k])));
        sums[k] = std::move(offset);
        offset = std::move(next);
      }
      over_leaves(count, [&](std::size_t k) { put_out(first + k, std::move(sums[k])); });
    }
  }

 private:
  static constexpr std::size_t block = 1024;  // leaves

  template <class Each>
  void over_leaves(std::size_t count, const Each& each) {
    split_on_demand(
        count,
        [&](std::size_t f, std::size_t l) {
          for (std::size_t k = f; k != l; ++k) each(k);
        },
        workers_);
  }

  T joined(const std::optional<T>& offset, T value) const {
    return offset ? static_cast<T>(op_(*offset, std::move(value))) : value;
  }

  T sum(std::size_t leaf) const {
    std::size_t i = cut_.first(leaf);
    T result(element_at(in_, i));
    for (const std::size_t last = cut_.last(leaf); ++i != last;)
      result = static_cast<T>(op_(std::move(result), element_at(in_, i)));
    return result;
  }

  // The element is read before the output is written: they may be the same.
  void put_out(std::size_t leaf, std::optional<T> offset) const {
    std::size_t i = cut_.first(leaf);
    const std::size_t last = cut_.last(leaf);
    T running = offset ? std::move(*offset) : T(element_at(in_, i));
    if constexpr (Kind == scan_kind::exclusive) {
      for (; i + 1 != last; ++i) {
        T next = static_cast<T>(op_(running, element_at(in_, i)));
        element_at(out_, i) = std::move(running);
        running = std::move(next);
      }
      element_at(out_, i) = std::move(running);
    } else {
      if (!offset) element_at(out_, i++) = running;
      for (; i != last; ++i) {
        running = static_cast<T>(op_(std::move(running), element_at(in_, i)));
        element_at(out_, i) = running;
      }
    }
  }

  // Both in one pass; returns the next leaf's offset.
  T put_out_and_sum(std::size_t leaf, const std::optional<T>& offset) const {
    std::size_t i = cut_.first(leaf);
    const std::size_t last = cut_.last(leaf);
    T total(element_at(in_, i));
    T running = offset ? *offset : total;
    if constexpr (Kind == scan_kind::exclusive) {
      for (;;) {
        T next = static_cast<T>(op_(running, element_at(in_, i)));
        element_at(out_, i) = std::move(running);
        running = std::move(next);
        if (++i == last) break;
        total = static_cast<T>(op_(std::move(total), element_at(in_, i)));
      }
    } else {
      if (offset) running = static_cast<T>(op_(std::move(running), element_at(in_, i)));
      element_at(out_, i) = running;
      while (++i != last) {
        total = static_cast<T>(op_(std::move(total), element_at(in_, i)));
        running = static_cast<T>(op_(std::move(running), element_at(in_, i)));
        element_at(out_, i) = running;
      }
    }
    return joined(offset, std::move(total));
  }

  const In in_;
  const Out out_;
  Op& op_;
  const leaf_cut cut_;
  const unsigned workers_;
};

template <scan_kind Kind, class T, class In, class Out, class Op>
Out scan(In first, In last, Out out, Op& op, std::optional<T> init) {
  const std::size_t n = length_of(first, last);
  if (n == 0) return out;
  on_a_worker([&](unsigned workers) {
    scanner<Kind, T, decltype(plain(first)), decltype(plain(out)), Op>(plain(first), plain(out), n,
                                                                       op, workers)
        .run(std::move(init));
  });
  return iterator_at(out, n);
}

struct inclusive_scan_impl {
  template <std::random_access_iterator In, std::random_access_iterator Out, class Op = std::plus<>>
  Out operator()(In first, In last, Out out, Op op = {}) const {
    return scan<scan_kind::inclusive, std::iter_value_t<In>>(first, last, out, op, {});
  }
  template <std::random_access_iterator In, std::random_access_iterator Out, class Op, class T>
  Out operator()(In first, In last, Out out, Op op, T init) const {
    return scan<scan_kind::inclusive, T>(first, last, out, op, std::optional<T>(std::move(init)));
  }
};

struct exclusive_scan_impl {
  template <std::random_access_iterator In, std::random_access_iterator Out, class T,
            class Op = std::plus<>>
  Out operator()(In first, In last, Out out, T init, Op op = {}) const {
    return scan<scan_kind::exclusive, T>(first, last, out, op, std::optional<T>(std::move(init)));
  }
};

}  // namespace detail

// inclusive_scan([pool,] first, last, out [, op [, init]]), exclusive_scan([pool,] first, last, out, init [, op]), also with a
// range for the first two: out[i] is init op e0 op ... op e[i], or without e[i], in the tree above; op is std::plus
// where it isn't given. Returns the end of what was written, which may be the very elements that are read.
//
// op must be associative, or the tree is part of what the result means; several threads call it at once. The type of
// the sums is that of init, else the elements'; it must be copyable and made from an element. Random-access
// iterators; at most 2 n + sqrt(n) operations; needs memory for 1024 sums (std::bad_alloc). After an exception what was
// written is unspecified. Exceptions and threads: as for parallel_for.
inline constexpr detail::algorithm<detail::with_ranges<detail::inclusive_scan_impl>>
    inclusive_scan{};
inline constexpr detail::algorithm<detail::with_ranges<detail::exclusive_scan_impl>>
    exclusive_scan{};

}  // namespace heist::inline v0
