// A list of the pool's entry for what one worker makes ready or leaves behind (injection.hpp).
//
// The counts are written under the lock, and read without it as hints, relaxed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "heist/detail/job.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/short_lock.hpp"
#include "platform/cpu.hpp"
#include "runtime/core/fiber.hpp"

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

// Of each level at the entry: fibers that can continue, forks that were left behind, and roots by
// priority.
struct entry_census {
  static constexpr unsigned levels = 5;
  std::array<bool, levels> waits;           // whether one waits
  std::array<std::uint64_t, levels> taken;  // how many were taken so far
};

// Fibers that can continue, and forks that were left behind, each the oldest first.
class alignas(platform::cache_line_bytes) entry_lane {
 public:
  void push(fiber& f) noexcept {
    const std::lock_guard hold(lock_);
    fibers_.push(&f);
    add(fiber_count_, 1);
  }
  void push(job& j) noexcept {
    const std::lock_guard hold(lock_);
    jobs_.push(&j);
    add(job_count_, 1);
  }

  [[nodiscard]] std::uint32_t fibers() const noexcept {
    return fiber_count_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint32_t jobs() const noexcept {
    return job_count_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool empty() const noexcept { return fibers() == 0 && jobs() == 0; }
  // How many were taken so far.
  [[nodiscard]] std::uint32_t taken() const noexcept {
    return fibers_taken_.load(std::memory_order_relaxed) +
           jobs_taken_.load(std::memory_order_relaxed);
  }

  // The oldest; nullptr: there is none, or none any more. For a call only one that serves it.
  fiber* pop_fiber(const root* call) noexcept {
    return take(fibers_, fiber_count_, fibers_taken_,
                [call](const fiber& f) { return call == nullptr || f.serves.get() == call; });
  }
  job* pop_job() noexcept {
    return take(jobs_, job_count_, jobs_taken_, [](const job&) { return true; });
  }
  // False if it isn't there. Looks at all of them.
  bool remove(job& j) noexcept {
    return take(jobs_, job_count_, jobs_taken_, [&j](const job& other) { return &other == &j; }) !=
           nullptr;
  }

  void add_to(entry_census& c) noexcept {
    const std::lock_guard hold(lock_);
    c.waits[0] = c.waits[0] || fibers() != 0;
    c.waits[1] = c.waits[1] || jobs() != 0;
    c.taken[0] += fibers_taken_.load(std::memory_order_relaxed);
    c.taken[1] += jobs_taken_.load(std::memory_order_relaxed);
  }

 private:
  using counter = std::atomic<std::uint32_t>;

  static void add(counter& count, std::uint32_t n) noexcept {
    count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  template <class Item, class Fits>
  Item* take(intrusive_list<Item>& from, counter& count, counter& taken, Fits&& fits) noexcept {
    if (count.load(std::memory_order_relaxed) == 0) return nullptr;
    const std::lock_guard hold(lock_);
    Item* const item = from.pop_if(fits);
    if (item == nullptr) return nullptr;
    add(count, static_cast<std::uint32_t>(-1));
    add(taken, 1);
    return item;
  }

  // All of it is one line of the cache.
  counter fiber_count_{0};
  counter job_count_{0};
  counter fibers_taken_{0};
  counter jobs_taken_{0};
  short_lock lock_;
  intrusive_list<fiber> fibers_;  // guarded by lock_, as is what follows
  intrusive_list<job> jobs_;
};

static_assert(sizeof(entry_lane) == platform::cache_line_bytes);

}  // namespace heist::inline v0::detail
