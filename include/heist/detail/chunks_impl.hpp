// The machinery of <heist/chunks.hpp>: how the index ranges of its functions come about.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/chunks.hpp"
#include "heist/detail/algorithm.hpp"
#include "heist/detail/parallel/chunk_cut.hpp"
#include "heist/detail/parallel/leaf_scan.hpp"
#include "heist/detail/parallel/leaf_tree.hpp"
#include "heist/detail/parallel/split_loop.hpp"
#include "heist/detail/parallel/stoppable.hpp"
#include "heist/detail/reduce_impl.hpp"
#include "heist/parallel_for.hpp"

namespace heist::inline v0 {

namespace detail {

// A range of indices, of which the functions get parts.
template <index I>
struct index_range {
  template <index F, index L>
  index_range(F f, L l, const char* who)
      : first(static_cast<I>(f)), count(count_of_indices(f, l, who)) {
    static_assert(fits_a_count<I>, "heist: chunks of indices of more than 64 bits");
  }
  [[nodiscard]] I at(std::size_t offset) const noexcept { return index_at(first, offset); }

  I first;
  std::size_t count;
};

template <class Body, class I, class J>
inline constexpr bool is_chunk_body =
    std::invocable<Body&, std::common_type_t<I, J>, std::common_type_t<I, J>>;

constexpr std::size_t at_least_one(std::size_t n) noexcept { return n == 0 ? 1 : n; }

template <class Stop = never_stops>
struct parallel_for_chunks_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = parallel_for_chunks_impl<S>;

  template <class I, class J = void, class Body = void, class...>
  static consteval refusal why() {
    if constexpr (std::is_void_v<Body>)
      return refusal::arguments;
    else if constexpr (!index<std::remove_cvref_t<I>> || !index<std::remove_cvref_t<J>>)
      return refusal::index_types;
    else if constexpr (is_chunk_body<Body, I, J>)
      return refusal::arguments;
    else
      return is_chunk_body<std::remove_const_t<std::remove_reference_t<Body>>, I, J>
                 ? refusal::body_is_const
                 : refusal::chunk_body;
  }

  template <index I, index J, class Body>
  requires std::invocable<Body&, std::common_type_t<I, J>, std::common_type_t<I, J>>
  void operator()(I first, J last, Body&& body, std::size_t least = 1) const {
    const index_range<std::common_type_t<I, J>> range(first, last, "heist::parallel_for_chunks");
    if (range.count == 0) return;
    if (least <= 1) {
      loop(chunk_cut(range.count, 1),
           [&](std::size_t f, std::size_t l) { body(range.at(f), range.at(l)); });
    } else {
      const chunk_cut cut(range.count, least);
      loop(cut, [&](std::size_t f, std::size_t l) {
        body(range.at(cut.first(f)), range.at(cut.first(l)));
      });
    }
  }

 private:
  // Over chunks of the least length, which stay whole.
  template <class Work>
  void loop(const chunk_cut& cut, const Work& work) const {
    if constexpr (std::is_same_v<Stop, never_stops>) {
      split_on_demand(cut.count(), work);
    } else {
      std::atomic<std::size_t> done{0};
      const auto counted = [&](std::size_t f, std::size_t l) {
        work(f, l);
        done.fetch_add(cut.first(l) - cut.first(f), std::memory_order_relaxed);  // read after joins
      };
      const stoppable_work<Stop, decltype(counted)> asking(*this->stop, counted);
      split_on_demand(cut.count(), asking);
      if (asking.stopped().is_left_of(cut.count()))
        throw_cancelled(done.load(std::memory_order_relaxed), cut.elements);
    }
  }
};

// Folds of chunks, as fold_tree knows leaves.
template <class T, class Range, class Fold, class Combine>
struct chunk_folds {
  chunk_cut cut;
  const Range& range;
  const T& identity;
  Fold& fold;
  Combine& combine;

  T leaf(std::size_t k) const {
    return static_cast<T>(fold(range.at(cut.first(k)), range.at(cut.last(k)), T(identity)));
  }
  T join(T left, T right) const {
    return static_cast<T>(combine(std::move(left), std::move(right)));
  }
};

template <class Stop = never_stops>
struct reduce_chunks_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = reduce_chunks_impl<S>;

  template <class I, class J = void, class T = void, class Fold = void, class Combine = void,
            class...>
  static consteval refusal why() {
    if constexpr (std::is_void_v<Combine>) {
      return refusal::arguments;
    } else if constexpr (!index<std::remove_cvref_t<I>> || !index<std::remove_cvref_t<J>>) {
      return refusal::index_types;
    } else {
      using common = std::common_type_t<I, J>;
      using value = std::remove_cvref_t<T>;
      if constexpr (!std::copy_constructible<value>)
        return refusal::accumulator;
      else if constexpr (!gives<value, Fold&, common, common, value>)
        return refusal::chunk_fold;
      else
        return gives<value, Combine&, value, value> ? refusal::arguments : refusal::chunk_combine;
    }
  }

  template <index I, index J, std::copy_constructible T, class Fold, class Combine>
  requires gives<T, Fold&, std::common_type_t<I, J>, std::common_type_t<I, J>, T> &&
           gives<T, Combine&, T, T>
  T operator()(I first, J last, T identity, Fold fold, Combine combine,
               std::size_t least = 1) const {
    using range_of = index_range<std::common_type_t<I, J>>;
    const range_of range(first, last, "heist::reduce_chunks");
    if (range.count == 0) return identity;
    return fold_tree(
        *this, chunk_folds<T, range_of, Fold, Combine>{
                   cut_to_fold(range.count, at_least_one(least)), range, identity, fold, combine});
  }
};

// What a leaf_scan does with chunks.
template <class T, class Range, class Sum, class Combine, class PutOut>
struct chunk_scans {
  chunk_cut cut;
  const Range& range;
  Sum& sum_of;
  Combine& combine;
  PutOut& put;

  T sum(std::size_t k) const {
    return static_cast<T>(sum_of(range.at(cut.first(k)), range.at(cut.last(k))));
  }
  void put_out(std::size_t k, std::optional<T> prefix) const {
    static_cast<void>(put(range.at(cut.first(k)), range.at(cut.last(k)), std::move(*prefix)));
  }
  T put_out_and_sum(std::size_t k, std::optional<T>& prefix) const {
    const auto f = range.at(cut.first(k));
    const auto l = range.at(cut.last(k));
    if constexpr (std::is_void_v<decltype(put(f, l, std::move(*prefix)))>) {
      T own = static_cast<T>(sum_of(f, l));
      put(f, l, T(*prefix));
      return joined(prefix, std::move(own));
    } else {
      return static_cast<T>(put(f, l, std::move(*prefix)));
    }
  }
  T joined(std::optional<T>& prefix, T own) const {
    return static_cast<T>(combine(std::as_const(*prefix), std::move(own)));
  }
};

// put_out returns nothing, or the next prefix.
template <class PutOut, class I, class T>
consteval bool can_put_out() {
  if constexpr (!std::invocable<PutOut&, I, I, T>)
    return false;
  else
    return std::is_void_v<std::invoke_result_t<PutOut&, I, I, T>> || gives<T, PutOut&, I, I, T>;
}
template <class PutOut, class I, class T>
concept puts_out = can_put_out<PutOut, I, T>();

// Prefixes are kept, and replaced by later ones.
template <class T>
concept scannable = std::copy_constructible<T> && std::movable<T>;

struct scan_chunks_impl {
  template <class I, class J = void, class T = void, class Sum = void, class Combine = void,
            class PutOut = void, class...>
  static consteval refusal why() {
    if constexpr (std::is_void_v<PutOut>) {
      return refusal::arguments;
    } else if constexpr (!index<std::remove_cvref_t<I>> || !index<std::remove_cvref_t<J>>) {
      return refusal::index_types;
    } else {
      using common = std::common_type_t<I, J>;
      using value = std::remove_cvref_t<T>;
      if constexpr (!scannable<value>)
        return refusal::accumulator;
      else if constexpr (!gives<value, Sum&, common, common>)
        return refusal::chunk_sum;
      else if constexpr (!gives<value, Combine&, const value&, value>)
        return refusal::chunk_combine;
      else
        return puts_out<PutOut, common, value> ? refusal::arguments : refusal::chunk_put_out;
    }
  }

  template <index I, index J, scannable T, class Sum, class Combine, class PutOut>
  requires gives<T, Sum&, std::common_type_t<I, J>, std::common_type_t<I, J>> &&
           gives<T, Combine&, const T&, T> && puts_out<PutOut, std::common_type_t<I, J>, T>
  T operator()(I first, J last, T init, Sum sum, Combine combine, PutOut put_out,
               std::size_t least = 1) const {
    using range_of = index_range<std::common_type_t<I, J>>;
    using chunks = chunk_scans<T, range_of, Sum, Combine, PutOut>;
    const range_of range(first, last, "heist::scan_chunks");
    if (range.count == 0) return init;
    const chunks operations{cut_to_scan(range.count, at_least_one(least)), range, sum, combine,
                            put_out};
    std::optional<T> total(std::move(init));
    on_a_worker([&](unsigned workers) {
      total =
          leaf_scan<T, chunks>(operations, workers).run(operations.cut.count(), std::move(total));
    });
    return std::move(*total);
  }
};

}  // namespace detail

struct parallel_for_chunks_function : detail::algorithm<detail::parallel_for_chunks_impl<>> {};
struct reduce_chunks_function : detail::algorithm<detail::reduce_chunks_impl<>> {};
struct scan_chunks_function : detail::algorithm<detail::scan_chunks_impl> {};

inline constexpr parallel_for_chunks_function parallel_for_chunks{};
inline constexpr reduce_chunks_function reduce_chunks{};
inline constexpr scan_chunks_function scan_chunks{};

}  // namespace heist::inline v0
