// A processor's ready deque: the owner's end is the bottom, thieves take from the top.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/model/ids.hpp"

namespace heist::lab {

class ready_deque {
 public:
  [[nodiscard]] bool empty() const { return top_ == items_.size(); }
  [[nodiscard]] std::size_t size() const { return items_.size() - top_; }
  // Thread 0 is at the top, thread size() - 1 at the bottom.
  [[nodiscard]] thread_id operator[](std::size_t i) const { return items_[top_ + i]; }

  // Prefetches the bottom.
  [[gnu::always_inline]] void fetch() const {
    if (!items_.empty()) __builtin_prefetch(&items_.back());
  }

  void push_bottom(thread_id thread) { items_.push_back(thread); }

  thread_id pop_bottom() {
    const thread_id thread = items_.back();
    items_.pop_back();
    if (empty()) clear();
    return thread;
  }

  thread_id pop_top() {
    const thread_id thread = items_[top_++];
    if (empty())
      clear();
    else if (top_ >= least_gap && top_ > items_.size() / 2)
      close_gap();
    return thread;
  }

 private:
  // With fewer taken entries, moving the others isn't worth it.
  static constexpr std::size_t least_gap = 64;

  void clear() {
    items_.clear();
    top_ = 0;
  }
  void close_gap() {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(top_));
    top_ = 0;
  }

  std::vector<thread_id> items_;
  std::size_t top_ = 0;
};

}  // namespace heist::lab
