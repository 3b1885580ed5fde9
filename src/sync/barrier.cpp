#include "heist/sync/barrier.hpp"

#include <string>

#include "heist/error.hpp"

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
