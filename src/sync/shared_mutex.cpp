#include "heist/sync/shared_mutex.hpp"

namespace heist::inline v0 {

using detail::holding;
using detail::waiter;
using detail::waiter_list;

struct shared_mutex::entrant : waiter {
  bool is_reader = false;
};

// True if it is inside, false if it is queued.
bool shared_mutex::queue(entrant& e) noexcept {
  const holding hold(guard_);
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  // While `queued` is set the last one inside can't leave without guard_.
  while ((seen & queued) == 0) {
    const bool may_enter = e.is_reader ? (seen & writer) == 0 : seen == 0;
    const std::uint64_t entered = e.is_reader ? seen + reader : writer;
    // Acquire: as in try_lock().
    if (state_.compare_exchange_weak(seen, may_enter ? entered : seen | queued,
                                     std::memory_order_acquire, std::memory_order_relaxed)) {
      if (may_enter) return true;
      break;
    }
  }
  waiters_.push_back(e);
  return false;
}

void shared_mutex::lock_slow() noexcept {
  entrant me;
  if (!queue(me)) me.point.wait();
}

void shared_mutex::lock_shared_slow() noexcept {
  entrant me;
  me.is_reader = true;
  if (!queue(me)) me.point.wait();
}

// By the last one inside, when somebody waits: nobody else changes state_ until this lets guard_ go.
void shared_mutex::hand_over() noexcept {
  waiter_list inside;
  {
    const holding hold(guard_);
    // Acquire: the readers that left before this one, for those that come.
    static_cast<void>(state_.load(std::memory_order_acquire));
    std::uint64_t next = 0;
    const auto first_reads = [this] {
      return !waiters_.empty() && static_cast<entrant*>(waiters_.first())->is_reader;
    };
    if (first_reads()) {
      for (; first_reads(); next += reader) inside.push_back(*waiters_.pop());
    } else {
      next = writer;
      inside.push_back(*waiters_.pop());
    }
    // Release: what happened inside, for readers that find the door open.
    state_.store(next | (waiters_.empty() ? 0 : queued), std::memory_order_release);
  }
  inside.end_all();
}

}  // namespace heist::inline v0
