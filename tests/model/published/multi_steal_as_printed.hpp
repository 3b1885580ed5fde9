// A deque whose thieves take up to k items at once, as printed in an article about a
// multi-task-steal scheduler. It has six mistakes, which docs/published-deque-bugs.md explains;
// heist/deque/multi_steal.hpp is the corrected form. It is for model tests only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heist/deque/concept.hpp"

namespace heist_model::published {

template <heist::deque::item T, class Seam>
class multi_steal_as_printed {
 public:
  using item_type = T;
  static constexpr std::size_t max_capacity = 64;

  multi_steal_as_printed(std::size_t capacity, std::size_t k)
      : k_(static_cast<position>(k)), rings_{{{capacity, new_slots(capacity)}}} {
    array_.store(&rings_[0], std::memory_order_relaxed);
  }
  // The arrays before the newest were deleted when they were replaced.
  ~multi_steal_as_printed() { free_slots(rings_[newest_]); }
  multi_steal_as_printed(const multi_steal_as_printed&) = delete;
  multi_steal_as_printed& operator=(const multi_steal_as_printed&) = delete;

  class owner_end {
   public:
    explicit owner_end(multi_steal_as_printed& d) noexcept : deque_(&d) {}
    heist::deque::push_result push(T one) noexcept { return deque_->put(one); }
    std::optional<T> pop() noexcept { return deque_->take(); }
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size(); }

   private:
    friend multi_steal_as_printed;
    multi_steal_as_printed* deque_;
  };

  class thief_end {
   public:
    explicit thief_end(multi_steal_as_printed& d) noexcept : deque_(&d) {}
    heist::deque::steal_answer<T> steal() noexcept {
      const auto answer = deque_->steal(1, nullptr);
      return {answer.result, answer.item};
    }
    heist::deque::batch_answer<T> steal_into(owner_end& mine) noexcept {
      return deque_->steal(deque_->k_, mine.deque_);
    }
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size(); }

   private:
    multi_steal_as_printed* deque_;
  };

  owner_end owner() noexcept { return owner_end(*this); }
  thief_end thief() noexcept { return thief_end(*this); }
  [[nodiscard]] std::size_t capacity() const noexcept { return rings_[newest_].capacity; }

 private:
  using position = std::int64_t;
  using slot = typename Seam::template atomic<T>;
  struct ring {
    std::size_t capacity = 0;
    slot* slots = nullptr;
    slot& at(position i) { return slots[static_cast<std::size_t>(i) % capacity]; }
  };

  static slot* new_slots(std::size_t n) { return Seam::template new_slots<T>(n); }
  static void free_slots(ring& r) { Seam::template free_slots<T>(r.slots, r.capacity); }

  [[nodiscard]] std::size_t size() const noexcept {
    const position t = top_.load(std::memory_order_relaxed);
    const position b = bottom_.load(std::memory_order_relaxed);
    return b > t ? static_cast<std::size_t>(b - t) : 0;
  }

  heist::deque::push_result put(T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);
    ring* const a = room_for_one(b);
    a->at(b).store(one, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
    return heist::deque::push_result::ok;
  }

  ring* room_for_one(position b) noexcept {
    const position t = top_.load(std::memory_order_acquire);
    ring* const a = array_.load(std::memory_order_relaxed);
    return b - t < static_cast<position>(a->capacity) ? a : resize(a, t, b);
  }

  // Mistake 3: a thief may be reading the array that is deleted here.
  ring* resize(ring* a, position t, position b) noexcept {
    ring& larger = rings_[++newest_];
    larger = {a->capacity * 2, new_slots(a->capacity * 2)};
    for (position i = t; i < b; ++i)
      larger.at(i).store(a->at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    array_.store(&larger, std::memory_order_release);
    free_slots(*a);
    return &larger;
  }

  std::optional<T> take() noexcept {
    const position b = bottom_.load(std::memory_order_relaxed) - 1;
    ring* const a = array_.load(std::memory_order_relaxed);
    bottom_.store(b, std::memory_order_release);
    Seam::full_fence();
    position t = top_.load(std::memory_order_relaxed);
    if (t > b) {
      bottom_.store(b + 1, std::memory_order_release);
      return std::nullopt;
    }
    // Mistake 1: a thief takes items up to t + k - 1, so this is one too few.
    if (t + (k_ - 1) <= b) return a->at(b).load(std::memory_order_relaxed);
    // Mistake 6: the owner takes the oldest item, so its order is no longer newest first.
    const T oldest = a->at(t).load(std::memory_order_relaxed);
    const bool won = top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                                  std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
    return won ? std::optional<T>(oldest) : std::nullopt;
  }

  heist::deque::batch_answer<T> steal(position most, multi_steal_as_printed* mine) noexcept {
    position t = top_.load(std::memory_order_acquire);
    Seam::full_fence();
    const position b = bottom_.load(std::memory_order_acquire);
    // Mistake 2: in an empty deque, where they are equal, this takes the contents of the slot.
    if (t > b) return {heist::deque::steal_result::empty, T{}, 0};
    ring* const a = array_.load(std::memory_order_acquire);
    const T oldest = a->at(t).load(std::memory_order_relaxed);
    position n = 1;
    for (; n < most && t + n < b; ++n)
      mine->copy(n - 1, a->at(t + n).load(std::memory_order_relaxed));
    if (!top_.compare_exchange_strong(t, t + n, std::memory_order_seq_cst,
                                      std::memory_order_relaxed))
      return {heist::deque::steal_result::lost, T{}, 0};
    if (n > 1) mine->keep(n - 1);
    return {heist::deque::steal_result::taken, oldest, static_cast<std::size_t>(n - 1)};
  }

  // The thief's own deque. Mistake 4: the array has room for one more item or is doubled once,
  // however many items come.
  void copy(position beyond, T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);
    ring* const a = beyond == 0 ? room_for_one(b) : array_.load(std::memory_order_relaxed);
    a->at(b + beyond).store(one, std::memory_order_relaxed);
  }

  // Mistake 5: nothing orders the copies before the new bottom.
  void keep(position n) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);
    bottom_.store(b + n, std::memory_order_relaxed);
  }

  position k_;
  typename Seam::template atomic<position> top_{0};
  typename Seam::template atomic<position> bottom_{0};
  typename Seam::template atomic<ring*> array_{nullptr};
  std::array<ring, 4> rings_;  // one after another; enough for three doublings
  std::size_t newest_ = 0;
};

}  // namespace heist_model::published
