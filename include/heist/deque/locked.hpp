// A deque with a lock: the baseline of every comparison and the oracle of every test.
//
// Roles: one owner pushes and pops at the new end, thieves steal at the old end; here any thread may
// do either. One mutex guards all fields. Grows as it needs to, never shrinks.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace heist::inline v0::deque {

template <class T>
class locked {
 public:
  // Room for `reserved` items before the first growth. Throws std::bad_alloc.
  explicit locked(std::size_t reserved = 64) : items_(reserved < 1 ? 1 : reserved) {}

  // May throw std::bad_alloc, and then the item isn't in.
  void push(T item) {
    const std::lock_guard hold(mutex_);
    if (count_ == items_.size()) grow();
    items_[(first_ + count_) % items_.size()] = item;
    ++count_;
  }

  // The newest item.
  std::optional<T> pop() {
    const std::lock_guard hold(mutex_);
    if (count_ == 0) return std::nullopt;
    --count_;
    return items_[(first_ + count_) % items_.size()];
  }

  // The oldest item.
  std::optional<T> steal() {
    const std::lock_guard hold(mutex_);
    if (count_ == 0) return std::nullopt;
    const T item = items_[first_];
    first_ = (first_ + 1) % items_.size();
    --count_;
    return item;
  }

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard hold(mutex_);
    return count_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.size() * 2);
    for (std::size_t i = 0; i < count_; ++i) larger[i] = items_[(first_ + i) % items_.size()];
    items_.swap(larger);
    first_ = 0;
  }

  mutable std::mutex mutex_;
  std::vector<T> items_;   // a ring; guarded by mutex_, as are the next two
  std::size_t first_ = 0;  // the oldest item
  std::size_t count_ = 0;
};

}  // namespace heist::inline v0::deque
