// The machinery of <heist/parallel_for.hpp>: how indices, ranges and blocks become loops over
// offsets.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "heist/block.hpp"
#include "heist/detail/algorithm.hpp"
#include "heist/detail/bad_range.hpp"
#include "heist/detail/entry.hpp"
#include "heist/detail/parallel/aligned_loop.hpp"
#include "heist/detail/parallel/own_body.hpp"
#include "heist/detail/parallel/stoppable.hpp"
#include "heist/parallel_for.hpp"
#include "heist/partitioner.hpp"

namespace heist::inline v0 {

namespace detail {

template <class T>
concept index = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

template <class T>
inline constexpr bool is_step = false;
template <class I>
inline constexpr bool is_step<step<I>> = true;

// The index at an offset, also where the difference of two indices doesn't fit into their type.
template <index I>
constexpr I index_at(I first, std::size_t offset) noexcept {
  using bits = std::make_unsigned_t<I>;
  return static_cast<I>(static_cast<bits>(static_cast<bits>(first) + static_cast<bits>(offset)));
}

// How many indices; throws usage_error, in the name of `who`, if the range is inverted.
template <index I, index J>
std::size_t count_of_indices(I first, J last, const char* who = "heist::parallel_for") {
  using common = std::common_type_t<I, J>;
  const auto f = static_cast<common>(first);
  const auto l = static_cast<common>(last);
  // A negative index that the conversion makes a huge unsigned one is as wrong as an inverted
  // range.
  if ((f < 0) != (first < 0) || (l < 0) != (last < 0) || l < f) [[unlikely]]
    throw_bad_range(who, endpoint_of(first), endpoint_of(last));
  using bits = std::make_unsigned_t<common>;
  return static_cast<bits>(static_cast<bits>(l) - static_cast<bits>(f));
}

// How many indices there are with a step. Throws usage_error for a step of 0, or an inverted range.
template <index I, index J, index K>
std::size_t count_of_indices(I first, J last, step<K> s) {
  constexpr const char* who = "heist::parallel_for";
  if (s.by == 0) [[unlikely]]
    throw_no_step(who);
  const bool is_down = s.by < 0;
  using common = std::common_type_t<I, J>;
  if (is_down && static_cast<common>(first) < static_cast<common>(last)) [[unlikely]]
    throw_bad_range(who, endpoint_of(first), endpoint_of(last));
  const std::size_t way = is_down ? count_of_indices(last, first) : count_of_indices(first, last);
  const auto by = static_cast<std::size_t>(s.by);
  const std::size_t width = is_down ? std::size_t{0} - by : by;
  return way / width + (way % width != 0 ? 1 : 0);
}

template <class Stop = never_stops>
struct parallel_for_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = parallel_for_impl<S>;

  template <index I, index J, class Body, partitioner Partitioner = on_demand>
  requires std::invocable<Body&, std::common_type_t<I, J>>
  void operator()(I first, J last, Body&& body, Partitioner&& how = {}) const {
    using common = std::common_type_t<I, J>;
    static_assert(fits_a_count<common>,
                  "heist::parallel_for: indices of more than 64 bits; count from 0 in 64 bits, and "
                  "add the first index in the body");
    const std::size_t n = count_of_indices(first, last);
    partition(n, how, [&body, first = static_cast<common>(first)](std::size_t f, std::size_t l) {
      common i = index_at(first, f);
      const common end = index_at(first, l);
      auto&& own = own_body<common>(body);
      HEIST_ALIGNED_LOOP
      for (; i != end; ++i) {
        own(i);
        race::keep_apart();
      }
    });
  }

  template <index I, index J, index K, class Body, partitioner Partitioner = on_demand>
  requires std::invocable<Body&, std::common_type_t<I, J>>
  void operator()(I first, J last, step<K> s, Body&& body, Partitioner&& how = {}) const {
    using common = std::common_type_t<I, J>;
    static_assert(fits_a_count<common> && fits_a_count<K>,
                  "heist::parallel_for: indices and steps have at most 64 bits");
    const std::size_t n = count_of_indices(first, last, s);
    // Numbers of 64 bits wrap around, and their lower bits are those of the index.
    partition(n, how,
              [&body, first = static_cast<std::size_t>(static_cast<common>(first)),
               by = static_cast<std::size_t>(s.by)](std::size_t f, std::size_t l) {
                std::size_t i = first + f * by;
                auto&& own = own_body<common>(body);
                HEIST_ALIGNED_LOOP
                for (std::size_t left = l - f; left != 0; --left, i += by) {
                  own(static_cast<common>(i));
                  race::keep_apart();
                }
              });
  }

  template <random_access_source R, class Body, partitioner Partitioner = on_demand>
  requires std::invocable<Body&, std::ranges::range_reference_t<R>>
  void operator()(R&& range, Body&& body, Partitioner&& how = {}) const {
    const auto part = [&body, first = std::ranges::begin(range)](std::size_t f, std::size_t l) {
      auto i = iterator_at(first, f);
      const auto end = iterator_at(first, l);
      auto&& own = own_body<std::ranges::range_reference_t<R>>(body);
      HEIST_ALIGNED_LOOP
      for (; i != end; ++i) {
        own(*i);
        race::keep_apart();
      }
    };
    if constexpr (shares_words<std::ranges::iterator_t<R>>)
      run_alone(as_count(std::ranges::size(range)), *this, part);
    else
      partition(as_count(std::ranges::size(range)), how, part);
  }

  template <class First, class Second = void, class Third = void, class Fourth = void,
            class Fifth = void>
  static consteval refusal why() {
    using first = std::remove_cvref_t<First>;
    if constexpr (std::is_void_v<Second>)
      return refusal::arguments;
    else if constexpr (index<first> && index<std::remove_cvref_t<Second>> &&
                       is_step<std::remove_cvref_t<Third>>)
      return std::is_void_v<Fourth>
                 ? refusal::arguments
                 : why_no_loop<std::common_type_t<first, std::remove_cvref_t<Second>>, Fourth,
                               Fifth>(refusal::body_of_index);
    else if constexpr (index<first> && index<std::remove_cvref_t<Second>> && !std::is_void_v<Third>)
      return why_no_loop<std::common_type_t<first, std::remove_cvref_t<Second>>, Third, Fourth>(
          refusal::body_of_index);
    else if constexpr (std::is_arithmetic_v<first>)
      return std::is_void_v<Third> ? refusal::arguments : refusal::index_types;
    else if constexpr (requires { block_dimensions(std::declval<first>()); })
      return refusal::body_of_block;
    else if constexpr (std::input_or_output_iterator<first>)
      return refusal::iterators_of_loop;
    else if constexpr (!std::ranges::range<First>)
      return refusal::not_a_range;
    else if constexpr (!random_access_source<First>)
      return refusal::range_kind;
    else
      return why_no_loop<std::ranges::range_reference_t<First>, Second, Third>(
          refusal::body_of_element);
  }

  template <std::size_t D, class Body>
  requires(tile_body<Body, D> || cell_body<Body, D>)
  void operator()(const block<D>& cells, Body&& body) const {
    for_block(cells, body, *this);
  }

 private:
  template <std::size_t D>
  static void block_dimensions(const block<D>&);

  template <class Argument, class Body, class Partitioner>
  static consteval refusal why_no_loop(refusal otherwise) {
    if constexpr (!std::invocable<Body&, Argument>)
      return is_spoiled_by_const<Body, Argument> ? refusal::body_is_const : otherwise;
    else if constexpr (std::is_void_v<Partitioner>)
      return refusal::arguments;
    else
      return partitioner<std::remove_reference_t<Partitioner>> ? refusal::arguments
                                                               : refusal::partitioner;
  }

  template <class Partitioner, class Work>
  void partition(std::size_t n, Partitioner& how, const Work& work) const {
    if (n == 0) return;
    run_stoppable(n, *this, work, [&](const auto& asking) {
      if constexpr (HEIST_RACE)
        race::each(n, asking, race::here());
      else
        on_a_worker([&](unsigned workers) { how.run(n, asking, workers); });
    });
  }
};

}  // namespace detail

struct parallel_for_function : detail::algorithm<detail::parallel_for_impl<>> {};

inline constexpr parallel_for_function parallel_for{};

}  // namespace heist::inline v0
