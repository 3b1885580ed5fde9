// The waiters of a lock, a channel or the like: a list of nodes on the waiters' own stacks, first
// in, first out.
#pragma once

#include "heist/detail/race.hpp"
#include "heist/detail/short_lock.hpp"
#include "heist/detail/waiting.hpp"

namespace heist::inline v0::detail {

// A node is used once. The thread that removes it from its list, under the list's lock, ends its
// wait after releasing the lock; from then on the node may be gone.
struct waiter {
  wait_point point{};
  waiter* next = nullptr;  // guarded by the list's lock, as is the rest
  waiter* previous = nullptr;
  bool is_listed = false;
  bool is_granted = false;  // the owner of the list defines its meaning
};

// The owner of the list guards it with a short_lock.
class waiter_list {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] waiter* first() const noexcept { return first_; }

  void push_back(waiter& w) noexcept { insert(w, last_, nullptr); }
  void push_front(waiter& w) noexcept { insert(w, nullptr, first_); }

  void remove(waiter& w) noexcept {
    (w.previous == nullptr ? first_ : w.previous->next) = w.next;
    (w.next == nullptr ? last_ : w.next->previous) = w.previous;
    w.is_listed = false;
  }
  // Removes and returns the first one, or nullptr.
  waiter* pop() noexcept {
    waiter* const w = first_;
    if (w != nullptr) remove(*w);
    return w;
  }
  // Moves the first one to `served`, for its end_all(): from then on it counts as listed nowhere.
  void serve_first(waiter_list& served) noexcept {
    waiter& w = *pop();
    served.push_back(w);
    w.is_listed = false;
  }
  // Removes all of them, and returns them in order.
  waiter_list take_all() noexcept {
    waiter_list all = *this;
    for (waiter* w = first_; w != nullptr; w = w->next) w->is_listed = false;
    first_ = last_ = nullptr;
    return all;
  }
  // Ends the waits of those that were taken out. To be called without any lock.
  void end_all() noexcept {
    for (waiter* w = first_; w != nullptr;) {
      waiter* const next = w->next;
      w->point.end();
      w = next;
    }
  }

 private:
  void insert(waiter& w, waiter* after, waiter* before) noexcept {
    w.previous = after;
    w.next = before;
    w.is_listed = true;
    (after == nullptr ? first_ : after->next) = &w;
    (before == nullptr ? last_ : before->previous) = &w;
  }

  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

// std::lock_guard without <mutex>.
class [[nodiscard]] holding {
 public:
  explicit holding(short_lock& lock) noexcept : lock_(lock) {
    lock_.lock();
    race::takes(&lock_);
  }
  ~holding() {
    race::drops(&lock_);
    lock_.unlock();
  }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;

 private:
  short_lock& lock_;
};

}  // namespace heist::inline v0::detail
