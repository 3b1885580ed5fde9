// The deque of Arora, Blumofe and Plaxton (Thread scheduling for multiprogrammed
// multiprocessors, 1998) without the tag that shares a word with top. Everything else is correct,
// including the fences. It is for model tests only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "heist/deque/concept.hpp"

namespace heist_model::published {

template <heist::deque::item T, class Seam>
class abp_without_tag {
 public:
  explicit abp_without_tag(std::size_t capacity)
      : capacity_(capacity), slots_(Seam::template new_slots<T>(capacity)) {}
  ~abp_without_tag() { Seam::template free_slots<T>(slots_, capacity_); }
  abp_without_tag(const abp_without_tag&) = delete;
  abp_without_tag& operator=(const abp_without_tag&) = delete;

  // Both ends are the deque itself.
  abp_without_tag& owner() noexcept { return *this; }
  abp_without_tag& thief() noexcept { return *this; }

  heist::deque::push_result push(T one) noexcept {
    const std::size_t b = bottom_.load(std::memory_order_relaxed);
    if (b == capacity_) return heist::deque::push_result::full;
    slots_[b].store(one, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
    return heist::deque::push_result::ok;
  }

  std::optional<T> pop() noexcept {
    std::size_t b = bottom_.load(std::memory_order_relaxed);
    if (b == 0) return std::nullopt;
    --b;
    bottom_.store(b, std::memory_order_release);
    Seam::full_fence();
    const T newest = slots_[b].load(std::memory_order_relaxed);
    std::size_t t = top_.load(std::memory_order_relaxed);
    if (b > t) return newest;
    // This is the last item, or there is none: the deque starts at 0 again. The tag would change
    // here.
    bottom_.store(0, std::memory_order_release);
    if (b == t &&
        top_.compare_exchange_strong(t, 0, std::memory_order_seq_cst, std::memory_order_relaxed))
      return newest;
    top_.store(0, std::memory_order_release);
    return std::nullopt;
  }

  heist::deque::steal_answer<T> steal() noexcept {
    std::size_t t = top_.load(std::memory_order_acquire);
    Seam::full_fence();
    const std::size_t b = bottom_.load(std::memory_order_acquire);
    if (b <= t) return {heist::deque::steal_result::empty, T{}};
    const T oldest = slots_[t].load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed))
      return {heist::deque::steal_result::lost, T{}};
    return {heist::deque::steal_result::taken, oldest};
  }

 private:
  std::size_t capacity_;
  typename Seam::template atomic<T>* slots_;
  typename Seam::template atomic<std::size_t> top_{0};
  typename Seam::template atomic<std::size_t> bottom_{0};
};

}  // namespace heist_model::published
