// Mailboxes: tasks that should run in a certain seat, if its owner comes for them in time.
//
// A task with an affinity lies in two places, its spawner's deque and the mailbox of the seat that
// it prefers. Both hold a proxy; the one that comes first takes the task, the one that comes last
// frees the proxy.
//
// Invariant. word holds the task while nobody has it, and one bit for each of the two places that
// still holds the proxy.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "heist/detail/short_lock.hpp"
#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {

class small_objects;

struct task_proxy {
  static constexpr std::uintptr_t in_deque = 1;
  static constexpr std::uintptr_t in_mailbox = 2;
  static constexpr std::uintptr_t places = in_deque | in_mailbox;

  // From the caller's pool. Throws std::bad_alloc.
  static task_proxy& make(task& t, d1::slot_id preferred);
  static void free(task_proxy* p) noexcept;

  task_proxy(task& t, d1::slot_id preferred, small_objects& pool) noexcept
      : word(reinterpret_cast<std::uintptr_t>(&t) | places),
        isolation(task_access::isolation(t)),
        seat(preferred),
        memory(pool) {}

  // To be called by who has taken the proxy out of `place`, once. nullptr: the other place was
  // faster. Frees the proxy when both have been here.
  static task* take(task_proxy* p, std::uintptr_t place) noexcept {
    // acq_rel: what the spawner wrote to the task, and the freeing after the other's last look.
    const std::uintptr_t seen = p->word.exchange(places & ~place, std::memory_order_acq_rel);
    if ((seen & ~places) != 0) return reinterpret_cast<task*>(seen & ~places);
    free(p);
    return nullptr;
  }

  std::atomic<std::uintptr_t> word;
  const std::intptr_t isolation;
  const d1::slot_id seat;
  small_objects& memory;
  task_proxy* next = nullptr;  // in the mailbox
};

class mailbox {
 public:
  mailbox() noexcept = default;
  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;
  ~mailbox() {
    // Relaxed: nobody else is left.
    for (task_proxy* p = first_.load(std::memory_order_relaxed); p != nullptr;)
      task_proxy::free(std::exchange(p, p->next));
  }

  void push(task_proxy& p) noexcept {
    const std::lock_guard held(lock_);
    if (last_ != nullptr)
      last_->next = &p;
    else
      first_.store(&p, std::memory_order_release);  // partner in pop()
    last_ = &p;
  }

  // The oldest task for this seat that nobody has taken; nullptr if there is none.
  [[nodiscard]] task* pop(std::intptr_t isolation) noexcept {
    for (;;) {
      if (first_.load(std::memory_order_acquire) == nullptr) return nullptr;
      task_proxy* p = nullptr;
      {
        const std::lock_guard held(lock_);
        p = first_.load(std::memory_order_relaxed);  // relaxed: the lock orders it
        if (p == nullptr || !may_take(isolation, p->isolation)) return nullptr;
        first_.store(p->next, std::memory_order_relaxed);  // relaxed: likewise
        if (p->next == nullptr) last_ = nullptr;
      }
      if (task* const t = task_proxy::take(p, task_proxy::in_mailbox)) return t;
    }
  }

 private:
  detail::short_lock lock_;
  std::atomic<task_proxy*> first_{nullptr};
  task_proxy* last_ = nullptr;
};

}  // namespace heist::inline v0::libtbb
