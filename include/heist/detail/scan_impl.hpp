// The machinery of <heist/scan.hpp>: how leaves are summed and put out.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/entry.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/parallel/chunk_cut.hpp"
#include "heist/detail/parallel/leaf_scan.hpp"
#include "heist/detail/parallel/leaf_tree.hpp"
#include "heist/merge.hpp"
#include "heist/scan.hpp"

namespace heist::inline v0 {

namespace detail {

enum class scan_kind : std::uint8_t { inclusive, exclusive };

// What a leaf_scan does with its leaves.
template <scan_kind Kind, class T, class In, class Out, class Op>
class scanner {
 public:
  scanner(In in, Out out, std::size_t n, Op& op)
      : in_(in), out_(out), op_(op), cut_(n, scan_leaf(n)) {}

  [[nodiscard]] std::size_t leaves() const noexcept { return cut_.count(); }

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

 private:
  const In in_;
  const Out out_;
  Op& op_;
  const leaf_cut cut_;
};

template <scan_kind Kind, class T, class In, class Out, class Op>
Out scan(In first, In last, Out out, Op& op, std::optional<T> init) {
  const std::size_t n = length_of(first, last);
  if (n == 0) return out;
  using leaves = scanner<Kind, T, decltype(plain(first)), decltype(plain(out)), Op>;
  const leaves operations(plain(first), plain(out), n, op);
  on_a_worker([&](unsigned workers) {
    leaf_scan<T, leaves>(operations, writers<Out>(workers))
        .run(operations.leaves(), std::move(init));
  });
  return iterator_at(out, n);
}

// Why no scan is made of these; T is the type of the sums.
template <class It, class Out, class T, class Op>
consteval refusal why_no_scan() {
  if constexpr (!std::random_access_iterator<It>)
    return refusal::iterator;
  else if constexpr (!std::random_access_iterator<Out>)
    return refusal::output;
  else if constexpr (!std::constructible_from<T, std::iter_reference_t<It>>)
    return refusal::element;
  else if constexpr (why_no_operation<Op, T, std::iter_reference_t<It>>() != refusal::none)
    return why_no_operation<Op, T, std::iter_reference_t<It>>();
  else
    return std::is_assignable_v<std::iter_reference_t<Out>, T> ? refusal::none : refusal::output;
}
template <class It, class Out, class T, class Op>
concept scans = why_no_scan<It, Out, T, Op>() == refusal::none;

struct inclusive_scan_impl {
  template <class It, class End = void, class Out = void, class Op = std::plus<>, class T = void,
            class...>
  static consteval refusal why() {
    if constexpr (std::is_void_v<Out>)
      return refusal::arguments;
    else if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else
      return why_no_scan<
          It, std::remove_cvref_t<Out>,
          std::conditional_t<std::is_void_v<T>, std::iter_value_t<It>, std::remove_cvref_t<T>>,
          Op>();
  }

  template <std::random_access_iterator In, std::random_access_iterator Out, class Op = std::plus<>>
  requires scans<In, Out, std::iter_value_t<In>, Op>
  Out operator()(In first, In last, Out out, Op op = {}) const {
    return scan<scan_kind::inclusive, std::iter_value_t<In>>(first, last, out, op, {});
  }
  template <std::random_access_iterator In, std::random_access_iterator Out, class Op, class T>
  requires scans<In, Out, T, Op>
  Out operator()(In first, In last, Out out, Op op, T init) const {
    return scan<scan_kind::inclusive, T>(first, last, out, op, std::optional<T>(std::move(init)));
  }
};

struct exclusive_scan_impl {
  template <class It, class End = void, class Out = void, class T = void, class Op = std::plus<>,
            class...>
  static consteval refusal why() {
    if constexpr (std::is_void_v<Out> || std::is_void_v<T>)
      return refusal::arguments;
    else
      return why_no_scan<It, std::remove_cvref_t<Out>, std::remove_cvref_t<T>, Op>();
  }

  template <std::random_access_iterator In, std::random_access_iterator Out, class T,
            class Op = std::plus<>>
  requires scans<In, Out, T, Op>
  Out operator()(In first, In last, Out out, T init, Op op = {}) const {
    return scan<scan_kind::exclusive, T>(first, last, out, op, std::optional<T>(std::move(init)));
  }
};

}  // namespace detail

struct inclusive_scan_function
    : detail::algorithm<
          detail::with_ranges<detail::inclusive_scan_impl, detail::result_is::apart>> {};
struct exclusive_scan_function
    : detail::algorithm<
          detail::with_ranges<detail::exclusive_scan_impl, detail::result_is::apart>> {};

inline constexpr inclusive_scan_function inclusive_scan{};
inline constexpr exclusive_scan_function exclusive_scan{};

}  // namespace heist::inline v0
