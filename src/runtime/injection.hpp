// What comes into a pool other than by stealing: roots, fibers that can continue, and forks that
// their fiber left behind when it suspended.
//
// A mutex, two intrusive lists, and the roots by priority. The queue allocates nothing, so that a
// push can't fail. A pop takes the lock only when there is something to take: everything inside a
// pool goes through the deques.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "heist/detail/job.hpp"
#include "heist/detail/root.hpp"
#include "runtime/fiber.hpp"
#include "runtime/root_queue.hpp"

namespace heist::inline v0::detail {

// First in, first out, linked through the items' own `next`.
template <class T>
class intrusive_list {
 public:
  void push(T* item) noexcept {
    item->next = nullptr;
    if (last_ == nullptr)
      first_ = item;
    else
      last_->next = item;
    last_ = item;
  }
  T* pop() noexcept {
    T* const item = first_;
    if (item == nullptr) return nullptr;
    first_ = item->next;
    if (first_ == nullptr) last_ = nullptr;
    return item;
  }
  bool remove(T* item) noexcept {
    return pop_if([item](const T& i) { return &i == item; }) != nullptr;
  }
  // The first item that fits, or nullptr.
  template <class Fits>
  T* pop_if(Fits&& fits) noexcept {
    T* before = nullptr;
    for (T* i = first_; i != nullptr; before = i, i = i->next) {
      if (!fits(*i)) continue;
      T* const next = i->next;
      if (before == nullptr)
        first_ = next;
      else
        before->next = next;
      if (last_ == i) last_ = before;
      i->next = nullptr;
      return i;
    }
    return nullptr;
  }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
};

// At most one member isn't null.
struct injected {
  fiber* resumable = nullptr;
  job* left_behind = nullptr;
  root* entry = nullptr;
};

class injection_queue {
 public:
  static constexpr unsigned roots_to_a_fork = 64;

  void push(root& r) noexcept {
    auto* const member = r.is_of_family ? static_cast<family_root*>(&r) : nullptr;
    const bool is_at_home = member != nullptr && is_home_of(*member->family);
    const std::lock_guard hold(mutex_);
    roots_.push(r);
    if (is_at_home) root_queue::list(*member);
    add_one();
  }
  void push(fiber& f) noexcept {
    const std::lock_guard hold(mutex_);
    fibers_.push(&f);
    add_one();
  }
  void push(job& j) noexcept {
    const std::lock_guard hold(mutex_);
    jobs_.push(&j);
    add_one();
  }

  // What was begun first: fibers before forks before roots, these by priority (root_queue.hpp).
  // roots_first: roots before forks, but for each `roots_to_a_fork`-th time.
  injected pop(bool roots_first) noexcept {
    if (empty()) return {};
    const std::lock_guard hold(mutex_);
    const bool is_roots_turn = roots_first && ++pops_of_roots_first_ % roots_to_a_fork != 0;
    injected item;
    if ((item.resumable = fibers_.pop()) == nullptr &&
        !(is_roots_turn && (item.entry = roots_.pop()) != nullptr) &&
        (item.left_behind = jobs_.pop()) == nullptr && (item.entry = roots_.pop()) == nullptr)
      return {};
    remove_one();
    return item;
  }

  // The newest root of the family that waits here, or nullptr.
  root* pop_newest_of(const root_family& family) noexcept {
    if (empty() || family.home.load(std::memory_order_relaxed) != this) return nullptr;
    const std::lock_guard hold(mutex_);
    root* const r = roots_.pop_newest_of(family);
    if (r != nullptr) remove_one();
    return r;
  }

  // The same for a guest: no new roots, and only fibers that serve its own call.
  injected pop_for(const root& call) noexcept {
    if (empty()) return {};
    const std::lock_guard hold(mutex_);
    injected item;
    item.resumable = fibers_.pop_if([&call](const fiber& f) { return f.serves.get() == &call; });
    if (item.resumable == nullptr && (item.left_behind = jobs_.pop()) == nullptr) return {};
    remove_one();
    return item;
  }

  // A fiber that can continue, or nullptr.
  fiber* pop_fiber() noexcept {
    if (empty()) return nullptr;
    const std::lock_guard hold(mutex_);
    fiber* const f = fibers_.pop();
    if (f != nullptr) remove_one();
    return f;
  }

  // Takes out a fork that was left behind; false if it isn't there. Looks at all of them.
  bool remove(job& j) noexcept {
    if (empty()) return false;
    const std::lock_guard hold(mutex_);
    if (!jobs_.remove(&j)) return false;
    remove_one();
    return true;
  }

  // Relaxed: a hint, since the mutex orders the rest. A thread that is about to sleep looks after
  // its seq_cst fence; partner: the fence in pool_impl::wake_for_injection.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] std::uint64_t size() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  // Makes it its home if it has none.
  [[nodiscard]] bool is_home_of(root_family& family) const noexcept {
    const injection_queue* home = nullptr;
    return family.home.compare_exchange_strong(home, this, std::memory_order_relaxed,
                                               std::memory_order_relaxed) ||
           home == this;
  }

  // Relaxed: written under the mutex only.
  void add_one() noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void remove_one() noexcept {
    count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }

  std::mutex mutex_;
  std::atomic<std::uint64_t> count_{0};  // items in the three lists
  intrusive_list<fiber> fibers_;         // guarded by mutex_, as are the next two
  intrusive_list<job> jobs_;
  root_queue roots_;
  unsigned pops_of_roots_first_ = 0;
};

}  // namespace heist::inline v0::detail
