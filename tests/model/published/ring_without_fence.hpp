// A bounded ring with top and bottom, as used in job systems. Its pop lowers bottom with a plain
// store, without the necessary full barrier. Everything else is correct. It is for model tests
// only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "heist/deque/concept.hpp"

namespace heist_model::published {

template <heist::deque::item T, class Seam>
class ring_without_fence {
 public:
  explicit ring_without_fence(std::size_t capacity)
      : capacity_(capacity), slots_(Seam::template new_slots<T>(capacity)) {}
  ~ring_without_fence() { Seam::template free_slots<T>(slots_, capacity_); }
  ring_without_fence(const ring_without_fence&) = delete;
  ring_without_fence& operator=(const ring_without_fence&) = delete;

  // Both ends are the deque itself.
  ring_without_fence& owner() noexcept { return *this; }
  ring_without_fence& thief() noexcept { return *this; }

  heist::deque::push_result push(T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);
    const position t = top_.load(std::memory_order_acquire);
    if (b - t == static_cast<position>(capacity_)) return heist::deque::push_result::full;
    at(b).store(one, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
    return heist::deque::push_result::ok;
  }

  std::optional<T> pop() noexcept {
    const position b = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(b, std::memory_order_relaxed);  // the mistake: thieves may see it later than ...
    position t = top_.load(std::memory_order_relaxed);  // ... this load
    if (t > b) {
      bottom_.store(b + 1, std::memory_order_release);
      return std::nullopt;
    }
    const T newest = at(b).load(std::memory_order_relaxed);
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
    const T oldest = at(t).load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed))
      return {heist::deque::steal_result::lost, T{}};
    return {heist::deque::steal_result::taken, oldest};
  }

 private:
  using position = std::int64_t;
  auto& at(position i) noexcept { return slots_[static_cast<std::size_t>(i) % capacity_]; }

  std::size_t capacity_;
  typename Seam::template atomic<T>* slots_;
  typename Seam::template atomic<position> top_{0};
  typename Seam::template atomic<position> bottom_{0};
};

}  // namespace heist_model::published
