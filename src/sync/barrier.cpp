#include "heist/sync/barrier.hpp"

#include <string>

#include "heist/error.hpp"
#include "heist/sync/latch.hpp"

namespace heist::inline v0::detail {

barrier_phases::barrier_phases(std::ptrdiff_t expected, place made)
    : expected_(expected), left_(expected) {
  if (expected < 0) throw usage_error("barrier: " + std::to_string(expected) + " are expected");
  note_made(this, made);
}

barrier_phases::arrival barrier_phases::arrive(std::ptrdiff_t n, std::ptrdiff_t dropped) {
  std::ptrdiff_t left;
  {
    const holding hold(guard_);
    left = left_;
    if (n >= 1 && n <= left) {
      left_ -= n;
      expected_ -= dropped;
      return {phase_, left_ == 0};
    }
  }
  throw usage_error("barrier: " + std::to_string(n) + " arrive where " + std::to_string(left) +
                    " are expected");
}

// Meanwhile nobody arrives: all that are expected have arrived.
void barrier_phases::end_phase() noexcept {
  waiter_list all;
  {
    const holding hold(guard_);
    ++phase_;
    left_ = expected_;
    all = waiters_.take_all();
  }
  all.end_all();
}

void barrier_phases::wait(std::uint64_t phase) noexcept {
  waiter me;
  {
    const holding hold(guard_);
    if (phase != phase_) return;
    waiters_.push_back(me);
  }
  me.point.wait({wait_kind::barrier, false, this});
}

}  // namespace heist::inline v0::detail

// ---- latch.hpp

namespace heist::inline v0 {

latch::latch(std::ptrdiff_t expected, detail::place made) : state_(expected * one) {
  if (expected < 0 || expected > max())
    throw usage_error("latch: a count of " + std::to_string(expected));
  detail::note_made(this, made);
}

void latch::wait_slow() noexcept {
  detail::waiter me;
  {
    const detail::holding hold(guard_);
    // The flag is raised in the same step that sees a count: the last count_down() either came
    // before it, or finds it.
    std::ptrdiff_t seen = state_.load(std::memory_order_acquire);
    do {
      if (seen < one) return;
      // Relaxed: the list is guarded.
    } while (!state_.compare_exchange_weak(seen, seen | has_waiters, std::memory_order_relaxed,
                                           std::memory_order_acquire));
    waiters_.push_back(me);
  }
  me.point.wait({detail::wait_kind::latch, false, this});
}

// A waiter is listed, and returns only after it has been taken out: until then the latch exists.
void latch::wake() noexcept {
  detail::waiter_list all;
  {
    const detail::holding hold(guard_);
    all = waiters_.take_all();
  }
  all.end_all();
}

}  // namespace heist::inline v0
