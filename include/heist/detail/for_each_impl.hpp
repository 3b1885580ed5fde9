// The machinery of <heist/for_each.hpp>: a parallel_for, and the walk through a list.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

#include "heist/for_each.hpp"
#include "heist/parallel_for.hpp"

namespace heist::inline v0 {

namespace detail {

// A list can't be cut in halves. So it is walked once, and every step-th iterator is recorded; the
// loop runs over these. When the places run out, every second one is dropped and the step doubles.
template <std::forward_iterator It, std::sentinel_for<It> End>
class waypoints {
 public:
  waypoints(It first, End last) : places_(new It[capacity]) {
    std::size_t i = 0;
    for (; first != last; ++first, ++i) {
      if (i % step_ != 0) continue;
      if (count_ == capacity) {
        for (std::size_t k = 0; k < capacity / 2; ++k) places_[k] = places_[2 * k];
        count_ = capacity / 2;
        step_ *= 2;
        if (i % step_ != 0) continue;
      }
      places_[count_++] = first;
    }
    size_ = i;
  }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  template <class Body>
  std::size_t visit(std::size_t which, Body& body) const {
    It i = places_[which];
    const std::size_t left = size_ - which * step_;
    const std::size_t elements = left < step_ ? left : step_;
    for (std::size_t k = elements; k > 0; --k, ++i) body(*i);
    return elements;
  }

 private:
  static constexpr std::size_t capacity = 1024;  // iterators; the parts are as even as that allows
  std::unique_ptr<It[]> places_;
  std::size_t count_ = 0;
  std::size_t step_ = 1;
  std::size_t size_ = 0;
};

template <class Stop = never_stops>
struct for_each_impl : stopped_by<Stop> {
  template <class S>
  using with_stop = for_each_impl<S>;
  using takes_lists = void;

  template <class It, class End = void, class Body = void, class How = void, class...>
  static consteval refusal why() {
    if constexpr (!std::forward_iterator<It>)
      return refusal::iterator;
    else if constexpr (std::is_void_v<Body>)
      return refusal::arguments;
    else if constexpr (!std::invocable<Body&, std::iter_reference_t<It>>)
      return is_spoiled_by_const<Body, std::iter_reference_t<It>> ? refusal::body_is_const
                                                                  : refusal::body_of_element;
    else
      return std::is_void_v<How> ? refusal::arguments : refusal::partitioner;
  }

  template <std::random_access_iterator It, std::invocable<std::iter_reference_t<It>> Body,
            partitioner Partitioner = on_demand>
  void operator()(It first, It last, Body&& body, Partitioner&& how = {}) const {
    const std::size_t n = length_of(first, last);
    if constexpr (shares_words<It>) {
      run_alone(n, *this, [&](std::size_t f, std::size_t l) {
        for (std::size_t i = f; i != l; ++i) body(element_at(first, i));
      });
    } else {
      parallel_for_impl<Stop> loop;
      if constexpr (!std::is_same_v<Stop, never_stops>) loop.stop = this->stop;
      loop(
          std::size_t{0}, n, [&](std::size_t i) { body(element_at(first, i)); }, how);
    }
  }
  template <std::forward_iterator It, std::sentinel_for<It> End,
            std::invocable<std::iter_reference_t<It>> Body>
  requires(!std::random_access_iterator<It>)
  void operator()(It first, End last, Body&& body) const {
    if (first == last) return;
    const waypoints<It, End> way(first, last);
    if constexpr (std::is_same_v<Stop, never_stops>) {
      split_on_demand(way.count(), [&](std::size_t f, std::size_t l) {
        for (std::size_t i = f; i != l; ++i) way.visit(i, body);
      });
    } else {
      std::atomic<std::size_t> done{0};  // elements
      split_on_demand(way.count(), [&](std::size_t f, std::size_t l) {
        for (std::size_t i = f; i != l; ++i) {
          if (this->stop->stop_requested()) return false;
          // Relaxed: read after the join.
          done.fetch_add(way.visit(i, body), std::memory_order_relaxed);
        }
        return true;
      });
      const std::size_t all_done = done.load(std::memory_order_relaxed);
      if (all_done != way.size()) throw_cancelled(all_done, way.size());
    }
  }
};

}  // namespace detail

struct for_each_function
    : detail::algorithm<detail::with_ranges<detail::for_each_impl<>, detail::result_is::apart>> {};

inline constexpr for_each_function for_each{};

}  // namespace heist::inline v0
