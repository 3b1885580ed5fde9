#include "heist/sync/shared_mutex.hpp"

#include "heist/detail/refusable_wait.hpp"

namespace heist::inline v0 {

using detail::hold_kind;
using detail::holding;
using detail::timed_waiter;
using detail::wait_kind;
using detail::waiter;
using detail::waiter_list;

// For a reader waiter::is_granted is true from the beginning.

// True if the waiter is inside, false if it is queued.
bool shared_mutex::queue(waiter& w) noexcept {
  const holding hold(guard_);
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  // While `queued` is set the last one inside can't leave without guard_.
  while ((seen & queued) == 0) {
    const bool may_enter = w.is_granted ? (seen & writer) == 0 : seen == 0;
    const std::uint64_t entered = w.is_granted ? seen + reader : writer;
    // Acquire: as in try_lock().
    if (state_.compare_exchange_weak(seen, may_enter ? entered : seen | queued,
                                     std::memory_order_acquire, std::memory_order_relaxed)) {
      if (may_enter) return true;
      break;
    }
  }
  waiters_.push_back(w);
  return false;
}

void shared_mutex::lock_slow() {
  waiter me;
  if (detail::waits_are_checked()) return lock_checked(me, wait_kind::shared_mutex_writer);
  if (!queue(me)) me.point.wait({wait_kind::shared_mutex_writer, false, this});
}

void shared_mutex::lock_shared_slow() {
  waiter me;
  me.is_granted = true;
  if (detail::waits_are_checked()) return lock_checked(me, wait_kind::shared_mutex_reader);
  if (!queue(me)) me.point.wait({wait_kind::shared_mutex_reader, false, this});
}

void shared_mutex::lock_checked(waiter& me, wait_kind kind) {
  detail::refusable_wait wait({kind, false, this});
  if (!queue(me))
    wait.wait(
        me.point, this, &me,
        [](void* m, void* w) noexcept {
          return static_cast<shared_mutex*>(m)->give_up(*static_cast<waiter*>(w));
        },
        [](void* m, void* w) noexcept {
          const holding hold(static_cast<shared_mutex*>(m)->guard_);
          return static_cast<waiter*>(w)->is_listed;
        });
  note_locked(kind == wait_kind::shared_mutex_writer ? hold_kind::exclusive : hold_kind::shared);
}

void shared_mutex::note_locked(hold_kind kind) noexcept { detail::note_acquired(this, kind); }
void shared_mutex::note_unlocked() noexcept { detail::note_released(this); }

bool shared_mutex::lock_until(detail::due_time due) {
  if (detail::is_over(due)) return false;
  timed_waiter<shared_mutex> me(*this, due);
  if (!queue(me) && !me.wait_in_time(wait_kind::shared_mutex_writer)) return false;
  if (detail::waits_are_checked()) note_locked(hold_kind::exclusive);
  return true;
}

bool shared_mutex::lock_shared_until(detail::due_time due) {
  if (detail::is_over(due)) return false;
  timed_waiter<shared_mutex> me(*this, due);
  me.is_granted = true;
  if (!queue(me) && !me.wait_in_time(wait_kind::shared_mutex_reader)) return false;
  if (detail::waits_are_checked()) note_locked(hold_kind::shared);
  return true;
}

// Takes the readers at the front of the list out; returns their number, in units of the state.
std::uint64_t shared_mutex::let_readers_in(waiter_list& inside) noexcept {
  std::uint64_t readers = 0;
  for (; !waiters_.empty() && waiters_.first()->is_granted; readers += reader)
    waiters_.serve_first(inside);
  return readers;
}

// Called by the last one inside, while somebody waits. False if nobody waits any more, since
// waiters have given up meanwhile: then the caller leaves in the ordinary way. Otherwise nobody
// else changes state_ until this function releases guard_.
bool shared_mutex::hand_over() noexcept {
  waiter_list inside;
  {
    const holding hold(guard_);
    // Acquire: the readers that left before this one, for those that come.
    const std::uint64_t seen = state_.load(std::memory_order_acquire);
    if (seen != (reader | queued) && seen != (writer | queued)) return false;
    std::uint64_t next = let_readers_in(inside);
    if (next == 0) {
      next = writer;
      waiters_.serve_first(inside);
    }
    // Release: what happened inside, for readers that enter without waiting.
    state_.store(next | (waiters_.empty() ? 0 : queued), std::memory_order_release);
  }
  inside.end_all();
  return true;
}

// While the waiter is listed, somebody is inside. Readers inside may leave, except the last one
// (see hand_over). A waiter that gives up may have kept out readers that stood behind it.
bool shared_mutex::give_up(waiter& w) noexcept {
  waiter_list inside;
  {
    const holding hold(guard_);
    if (!w.is_listed) return false;
    waiters_.remove(w);
    // Acquire: what the last writer did, for readers that come in.
    if ((state_.load(std::memory_order_acquire) & writer) == 0)
      state_.fetch_add(let_readers_in(inside), std::memory_order_acq_rel);
    // Release: partner in hand_over(), which looks whether it is still needed.
    if (waiters_.empty()) state_.fetch_and(~queued, std::memory_order_release);
  }
  inside.end_all();
  return true;
}

}  // namespace heist::inline v0
