// The machinery of <heist/reduce.hpp>: folds over the tree of leaves.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "heist/detail/algorithm.hpp"
#include "heist/detail/functional.hpp"
#include "heist/detail/parallel/leaf_tree.hpp"
#include "heist/detail/parallel/stoppable.hpp"
#include "heist/reduce.hpp"

namespace heist::inline v0 {

namespace detail {

// get(i) is the i-th element, or the result of transforming it.
template <class T, class Op, class Get>
struct fold {
  const leaf_cut& cut;
  Op& op;
  const Get& get;

  T leaf(std::size_t which) const {
    if (cut.size == 1) return T(get(which));
    return leaf_of_several(which);
  }
  T join(T left, T right) const { return static_cast<T>(op(std::move(left), std::move(right))); }

 private:
  // Not inlined, so that a leaf of one element saves no registers for a loop.
  [[gnu::noinline]] T leaf_of_several(std::size_t which) const {
    std::size_t i = cut.first(which);
    T result(get(i));
    for (const std::size_t last = cut.last(which); ++i != last;)
      result = static_cast<T>(op(std::move(result), get(i)));
    return result;
  }
};

template <class Stop, class Operations>
auto fold_tree(const stopped_by<Stop>& by, const Operations& operations) {
  return run_stoppable_tree(
      by, operations, [&](const auto& asking) { return run_tree(operations.cut.count(), asking); });
}

template <class T, class Op, class Get, class Stop>
T fold_elements(std::size_t n, const stopped_by<Stop>& by, T init, Op& op, const Get& get) {
  if (n == 0) return init;
  const leaf_cut cut(n);
  return static_cast<T>(op(std::move(init), fold_tree(by, fold<T, Op, Get>{cut, op, get})));
}

template <class T>
concept has_lanes = std::same_as<T, float> || std::same_as<T, double> ||
                    (std::integral<T> && (sizeof(T) == 4 || sizeof(T) == 8));
template <class Op, class T>
concept lane_operation =
    std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>> ||
    std::same_as<Op, std::multiplies<>> || std::same_as<Op, std::multiplies<T>>;
template <class T, class Op, class It>
concept folds_in_lanes = has_lanes<T> && std::contiguous_iterator<It> &&
                         std::same_as<std::iter_value_t<It>, T> && lane_operation<Op, T>;

template <has_lanes T, lane_operation<T> Op>
struct lane_fold {
  static constexpr std::size_t leaf_size = 2048;

  const T* elements;
  leaf_cut cut;

  T leaf(std::size_t which) const {
    const T* p = elements + cut.first(which);
    const T* const end = elements + cut.last(which);
    T result;
    if (static_cast<std::size_t>(end - p) >= lanes) {
      T lane[lanes];
      p = fold_lanes(lane, p, end, std::make_index_sequence<vectors>());
      for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t k = 0; k < half; ++k) put(lane[k], lane[k + half]);
      result = lane[0];
    } else {
      result = *p++;
    }
    for (; p != end; ++p) put(result, *p);
    return result;
  }
  T join(T left, T right) const {
    put(left, right);
    return left;
  }

 private:
  typedef T vector __attribute__((vector_size(16)));
  static constexpr std::size_t vectors = 8;
  static constexpr std::size_t width = sizeof(vector) / sizeof(T);
  static constexpr std::size_t lanes = vectors * width;

  // Folds every whole turn; returns where the rest begins. Unrolled by hand: g++ -O2 would keep the
  // sums in memory.
  template <std::size_t... K>
  static const T* fold_lanes(T (&lane)[lanes], const T* p, const T* end,
                             std::index_sequence<K...>) {
    vector sums[vectors] = {load(p + K * width)...};
    for (p += lanes; static_cast<std::size_t>(end - p) >= lanes; p += lanes)
      (put(sums[K], load(p + K * width)), ...);
    (store(lane + K * width, sums[K]), ...);
    return p;
  }
  static vector load(const T* p) {
    vector v;
    std::memcpy(&v, p, sizeof(v));
    return v;
  }
  static void store(T* p, vector v) { std::memcpy(p, &v, sizeof(v)); }
  template <class Operand>
  static void put(Operand& a, const Operand& b) {
    if constexpr (std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>>)
      a += b;
    else
      a *= b;
  }
};

template <class Stop = never_stops>
struct reduce_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = reduce_impl<S>;

  template <class It, class End = void, class T = void, class Op = std::plus<>, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<T>)
      return why_no_operation<Op, std::iter_value_t<It>, std::iter_reference_t<It>>();
    else if constexpr (!std::constructible_from<std::remove_cvref_t<T>, std::iter_reference_t<It>>)
      return refusal::element;
    else
      return why_no_operation<Op, std::remove_cvref_t<T>, std::iter_reference_t<It>>();
  }

  template <std::random_access_iterator It, class T = std::iter_value_t<It>, class Op = std::plus<>>
  requires(std::constructible_from<T, std::iter_reference_t<It>> &&
           why_no_operation<Op, T, std::iter_reference_t<It>>() == refusal::none)
  T operator()(It first, It last, T init = T{}, Op op = {}) const {
    const std::size_t n = length_of(first, last);
    if constexpr (folds_in_lanes<T, Op, It>) {
      using lane = lane_fold<T, Op>;
      const leaf_cut cut(n, lane::leaf_size);
      return n == 0 ? init : op(init, fold_tree(*this, lane{std::to_address(first), cut}));
    } else {
      return fold_elements(n, *this, std::move(init), op,
                           [&](std::size_t i) -> decltype(auto) { return element_at(first, i); });
    }
  }
};

template <class F, class Op, class T, class... Element>
consteval bool can_transform() {
  if constexpr (std::invocable<F&, Element...>)
    return why_no_operation<Op, T, std::invoke_result_t<F&, Element...>>() == refusal::none;
  else
    return false;
}
template <class F, class Op, class T, class... Element>
concept transforms = can_transform<F, Op, T, Element...>();

template <class Stop = never_stops>
struct transform_reduce_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = transform_reduce_impl<S>;

  template <class It, class End = void, class T = void, class Op = void, class F = void,
            class F2 = void, class...>
  static consteval refusal why() {
    if constexpr (!std::random_access_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<T> || std::is_void_v<Op>)
      return refusal::arguments;
    else if constexpr (std::random_access_iterator<std::remove_cvref_t<T>>)
      return why_not_two<It, std::remove_cvref_t<T>, Op, F, F2>();
    else if constexpr (std::is_void_v<F>)
      return refusal::arguments;
    else if constexpr (!std::invocable<F&, std::iter_reference_t<It>>)
      return refusal::transform;
    else
      return why_no_operation<Op, std::remove_cvref_t<T>,
                              std::invoke_result_t<F&, std::iter_reference_t<It>>>();
  }

  template <std::random_access_iterator It, class T, class Reduce, class Transform>
  requires(transforms<Transform, Reduce, T, std::iter_reference_t<It>>)
  T operator()(It first, It last, T init, Reduce reduce, Transform transform) const {
    return fold_elements(
        length_of(first, last), *this, std::move(init), reduce,
        [&](std::size_t i) -> decltype(auto) { return transform(element_at(first, i)); });
  }
  template <std::random_access_iterator It, std::random_access_iterator Other, class T,
            class Reduce = std::plus<>, class Transform = std::multiplies<>>
  requires(
      transforms<Transform, Reduce, T, std::iter_reference_t<It>, std::iter_reference_t<Other>>)
  T operator()(It first, It last, Other first2, T init, Reduce reduce = {},
               Transform transform = {}) const {
    return fold_elements(length_of(first, last), *this, std::move(init), reduce,
                         [&](std::size_t i) -> decltype(auto) {
                           return transform(element_at(first, i), element_at(first2, i));
                         });
  }

 private:
  template <class It, class Other, class T, class Op, class F>
  static consteval refusal why_not_two() {
    using op = std::conditional_t<std::is_void_v<Op>, std::plus<>, Op>;
    using f = std::conditional_t<std::is_void_v<F>, std::multiplies<>, F>;
    if constexpr (!std::invocable<f&, std::iter_reference_t<It>, std::iter_reference_t<Other>>)
      return refusal::transform;
    else
      return why_no_operation<
          op, std::remove_cvref_t<T>,
          std::invoke_result_t<f&, std::iter_reference_t<It>, std::iter_reference_t<Other>>>();
  }
};

}  // namespace detail

struct reduce_function
    : detail::algorithm<detail::with_ranges<detail::reduce_impl<>, detail::result_is::apart>> {};
struct transform_reduce_function
    : detail::algorithm<
          detail::with_ranges<detail::transform_reduce_impl<>, detail::result_is::apart>> {};

inline constexpr reduce_function reduce{};
inline constexpr transform_reduce_function transform_reduce{};

}  // namespace heist::inline v0
