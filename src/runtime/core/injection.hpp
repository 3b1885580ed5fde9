// What comes into a pool other than by stealing: roots, fibers that can continue, and forks that
// their fiber left behind when it suspended.
//
// A mutex, two intrusive lists, and the roots by priority. The queue allocates nothing, so that a
// push can't fail. A pop takes the lock only when there is something to take: everything inside a
// pool goes through the deques.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "heist/detail/job.hpp"
#include "heist/detail/root.hpp"
#include "platform/cpu.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/core/root_queue.hpp"
#include "runtime/core/turns.hpp"

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
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  T* pop() noexcept {
    T* const item = first_;
    if (item == nullptr) return nullptr;
    first_ = item->next;
    if (first_ == nullptr) last_ = nullptr;
    ++taken_;
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
      ++taken_;
      return i;
    }
    return nullptr;
  }
  // How many were taken so far.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

 private:
  T* first_ = nullptr;
  T* last_ = nullptr;
  std::uint64_t taken_ = 0;
};

// Of each level at the entry: fibers that can continue, forks that were left behind, and roots by
// priority.
struct entry_census {
  static constexpr unsigned levels = 5;
  std::array<bool, levels> waits;           // whether one waits
  std::array<std::uint64_t, levels> taken;  // how many were taken so far
};

// At most one member isn't null.
struct injected {
  fiber* resumable = nullptr;
  job* left_behind = nullptr;
  root* entry = nullptr;
};

class alignas(platform::cache_line_bytes) injection_queue {
 public:
  void push(root& r) noexcept {
    auto* const member = r.is_of_family ? static_cast<family_root*>(&r) : nullptr;
    const bool is_at_home = member != nullptr && is_home_of(*member->family);
    const std::lock_guard hold(mutex_);
    roots_.push(r);
    if (is_urgent(r)) change_urgent(1);
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

  // The one that goes next (T1 in turns.hpp). roots_first: roots before forks, usually.
  // urgent_first: an urgent root before all others.
  injected pop(bool roots_first, bool urgent_first) noexcept {
    if (empty()) return {};
    const std::lock_guard hold(mutex_);
    if (urgent_first && urgent() != 0) turns_.keep_urgent_due();
    injected item;
    switch (turns_.choose(
        {!fibers_.empty(), !jobs_.empty(), !roots_.empty(), urgent() != 0, roots_first})) {
      case entry_level::resumed:
        item.resumable = fibers_.pop();
        break;
      case entry_level::left_behind:
        item.left_behind = jobs_.pop();
        break;
      case entry_level::root:
        item.entry = take_root(roots_.pop());
        if (!is_urgent(*item.entry) && urgent() != 0) turns_.keep_urgent_due();
        break;
      case entry_level::none:
        return {};
    }
    note_due();
    remove_one();
    return item;
  }

  // The newest root of the family that waits here, or nullptr.
  root* pop_newest_of(const root_family& family) noexcept {
    if (empty() || family.home.load(std::memory_order_relaxed) != this) return nullptr;
    const std::lock_guard hold(mutex_);
    root* const r = take_root(roots_.pop_newest_of(family));
    if (r != nullptr) remove_one();
    return r;
  }

  // What pop() is for a guest: no new roots, and only fibers that serve its own call.
  injected pop_for(const root& call) noexcept {
    if (empty()) return {};
    const std::lock_guard hold(mutex_);
    injected item;
    const auto own = [&call](const fiber& f) { return f.serves.get() == &call; };
    const auto pop_fork = [&] { return (item.left_behind = jobs_.pop()) != nullptr; };
    const bool forks_first = ++pops_for_guests_ % worker_turns::bound == 0;
    if (!(forks_first && pop_fork()) && (item.resumable = fibers_.pop_if(own)) == nullptr &&
        !pop_fork())
      return {};
    if (!roots_.empty()) turns_.note_root_passed_over();
    note_due();
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

  // How many urgent roots wait: priority::high, or a thread outside the pool waits for it. Relaxed:
  // the one that is asked by wake_for_injection() has passed a fence before.
  [[nodiscard]] std::uint64_t urgent() const noexcept {
    return urgent_.load(std::memory_order_relaxed);
  }
  static bool is_urgent(const root& r) noexcept { return r.urgency == priority::high; }
  // Whether the next turn is a root's, if anybody who takes roots has one. Relaxed: a hint.
  [[nodiscard]] bool root_is_due() const noexcept {
    return root_is_due_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] entry_census census() noexcept {
    const std::lock_guard hold(mutex_);
    entry_census c{{!fibers_.empty(), !jobs_.empty()}, {fibers_.taken(), jobs_.taken()}};
    for (const priority p : {priority::high, priority::normal, priority::low}) {
      const auto l = 2 + static_cast<std::size_t>(p);
      c.waits[l] = roots_.has(p);
      c.taken[l] = roots_.taken(p);
    }
    return c;
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

  // Relaxed, all of these: written under the mutex only.
  void note_due() noexcept {
    const bool is_due = turns_.root_is_due(urgent() != 0) && !roots_.empty();
    if (is_due != root_is_due()) root_is_due_.store(is_due, std::memory_order_relaxed);
  }
  root* take_root(root* r) noexcept {
    if (r != nullptr && is_urgent(*r)) change_urgent(-1);
    return r;
  }
  void change_urgent(int by) noexcept {
    urgent_.store(urgent() + static_cast<std::uint64_t>(by), std::memory_order_relaxed);
  }
  void add_one() noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void remove_one() noexcept {
    count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }

  // One line of the cache, for the queue in use.
  std::mutex mutex_;
  std::atomic<std::uint64_t> count_{0};  // items in the three lists
  entry_turns turns_;                    // guarded by mutex_, as is all that follows
  unsigned pops_for_guests_ = 0;
  root_queue roots_;
  intrusive_list<fiber> fibers_;
  intrusive_list<job> jobs_;
  std::atomic<std::uint64_t> urgent_{0};
  std::atomic<bool> root_is_due_{false};
};

}  // namespace heist::inline v0::detail
