// The deque of Chase and Lev (Dynamic circular work-stealing deque, 2005) with the orders of Le,
// Pop, Cohen and Zappa Nardelli (2013), whose grown array is published with a relaxed store. Norris
// and Demsky found this mistake with their model checker (CDSChecker, 2013). Everything else is
// correct; old arrays are kept. It is for model tests only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heist/deque/concept.hpp"

namespace heist_model::published {

template <heist::deque::item T, class Seam>
class chase_lev_relaxed_growth {
 public:
  // All arrays are made here, so that a slot has the owner's value or none when a thief reads it.
  explicit chase_lev_relaxed_growth(std::size_t capacity) {
    for (ring& r : rings_) {
      r = {capacity, Seam::template new_slots<T>(capacity)};
      capacity *= 2;
    }
    array_.store(&rings_[0], std::memory_order_relaxed);
  }
  ~chase_lev_relaxed_growth() {
    for (ring& r : rings_) Seam::template free_slots<T>(r.slots, r.capacity);
  }
  chase_lev_relaxed_growth(const chase_lev_relaxed_growth&) = delete;
  chase_lev_relaxed_growth& operator=(const chase_lev_relaxed_growth&) = delete;

  // Both ends are the deque itself.
  chase_lev_relaxed_growth& owner() noexcept { return *this; }
  chase_lev_relaxed_growth& thief() noexcept { return *this; }

  heist::deque::push_result push(T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);
    const position t = top_.load(std::memory_order_acquire);
    ring* a = array_.load(std::memory_order_relaxed);
    if (b - t == static_cast<position>(a->capacity)) a = grow(a, t, b);
    a->at(b).store(one, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
    return heist::deque::push_result::ok;
  }

  std::optional<T> pop() noexcept {
    const position b = bottom_.load(std::memory_order_relaxed) - 1;
    ring* const a = array_.load(std::memory_order_relaxed);
    bottom_.store(b, std::memory_order_release);
    Seam::full_fence();
    position t = top_.load(std::memory_order_relaxed);
    if (t > b) {
      bottom_.store(b + 1, std::memory_order_release);
      return std::nullopt;
    }
    const T newest = a->at(b).load(std::memory_order_relaxed);
    if (t < b) return newest;
    const bool won = top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                                  std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
    return won ? std::optional<T>(newest) : std::nullopt;
  }

  heist::deque::steal_answer<T> steal() noexcept {
    position t = top_.load(std::memory_order_acquire);
    Seam::full_fence();
    const position b = bottom_.load(std::memory_order_acquire);
    if (t >= b) return {heist::deque::steal_result::empty, T{}};
    ring* const a = array_.load(std::memory_order_acquire);
    const T oldest = a->at(t).load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed))
      return {heist::deque::steal_result::lost, T{}};
    return {heist::deque::steal_result::taken, oldest};
  }

 private:
  using position = std::int64_t;
  struct ring {
    std::size_t capacity = 0;
    typename Seam::template atomic<T>* slots = nullptr;
    auto& at(position i) { return slots[static_cast<std::size_t>(i) % capacity]; }
  };

  ring* grow(ring* a, position t, position b) noexcept {
    ring& larger = rings_[++newest_];
    for (position i = t; i < b; ++i)
      larger.at(i).store(a->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    array_.store(&larger, std::memory_order_relaxed);  // the mistake: nothing publishes the copies
    return &larger;
  }

  typename Seam::template atomic<position> top_{0};
  typename Seam::template atomic<position> bottom_{0};
  typename Seam::template atomic<ring*> array_{nullptr};
  std::array<ring, 3> rings_;  // one after another; enough for two doublings
  std::size_t newest_ = 0;
};

}  // namespace heist_model::published
