// The machinery of <heist/scan.hpp>: how the tree of leaves is summed and put out.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/leaf_tree.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/fork_join.hpp"
#include "heist/merge.hpp"
#include "heist/scan.hpp"

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

  // `offset` is the initial value, or nothing.
  void run(std::optional<T> offset) {
    const std::size_t leaves = cut_.count();
    if (workers_ > 1) sums_.reset(new std::optional<T>[leaves < block ? leaves : block]);
    for (std::size_t first = 0; first < leaves; first += block)
      offset = pass(first, leaves - first < block ? leaves : first + block, std::move(offset));
  }

 private:
  static constexpr std::size_t block = 1024;  // leaves

  // Puts out leaves whose offset is known, one after the other; returns the offset of the leaf
  // after them. When a thief asks for work, it gets the later half of the remaining leaves to sum.
  std::optional<T> pass(std::size_t first, std::size_t last, std::optional<T> offset) {
    const std::uint64_t start = workers_ > 1 ? ticks() : 0;
    for (std::size_t k = first; k != last; ++k) {
      if (workers_ > 1 && k != first && last - k > 1 && asked_to_split() &&
          (last - k) / (k - first) >= ticks_per_chunk() / (ticks() - start + 1))
        return shared_pass(k, last, std::move(offset));
      std::optional<T> next(put_out_and_sum(k, offset));
      offset = std::move(next);
    }
    return offset;
  }

  std::optional<T> shared_pass(std::size_t first, std::size_t last, std::optional<T> offset) {
    const std::size_t middle = first + (last - first) / 2;
    std::atomic<bool> left_is_done{false};
    bool summed = false;
    fork_join(
        [&] {
          offset = pass(first, middle, std::move(offset));
          left_is_done.store(true, std::memory_order_release);  // publishes offset
        },
        [&] {
          if (left_is_done.load(std::memory_order_acquire)) {  // it was not stolen
            offset = pass(middle, last, std::move(offset));
          } else {
            over_leaves(middle, last, [&](std::size_t k) { sum_of(k).emplace(sum(k)); });
            summed = true;
          }
        });
    if (!summed) return offset;
    for (std::size_t k = middle; k != last; ++k) {  // the sums become offsets
      std::optional<T> next(joined(offset, std::move(*sum_of(k))));
      sum_of(k) = std::move(offset);
      offset = std::move(next);
    }
    over_leaves(middle, last, [&](std::size_t k) { put_out(k, std::move(sum_of(k))); });
    return offset;
  }

  template <class Each>
  void over_leaves(std::size_t first, std::size_t last, const Each& each) {
    split_on_demand(
        last - first,
        [&](std::size_t f, std::size_t l) {
          for (std::size_t k = f; k != l; ++k) each(first + k);
        },
        workers_);
  }

  [[nodiscard]] std::optional<T>& sum_of(std::size_t leaf) const { return sums_[leaf % block]; }

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

  // The element is read before the output is written: both may be the same place.
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

  // Does both in one pass; returns the next leaf's offset.
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
  std::unique_ptr<std::optional<T>[]> sums_;  // of the leaves of the block that is being worked on
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

struct inclusive_scan_function
    : detail::algorithm<detail::with_ranges<detail::inclusive_scan_impl>> {};
struct exclusive_scan_function
    : detail::algorithm<detail::with_ranges<detail::exclusive_scan_impl>> {};

inline constexpr inclusive_scan_function inclusive_scan{};
inline constexpr exclusive_scan_function exclusive_scan{};

}  // namespace heist::inline v0
