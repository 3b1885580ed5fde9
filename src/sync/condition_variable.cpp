#include "heist/sync/condition_variable.hpp"

namespace heist::inline v0 {

using detail::holding;
using detail::waiter;

// Relaxed, all of listed_: it is written under guard_; see has_waiters().
void condition_variable::list(waiter& w) noexcept {
  const holding hold(guard_);
  waiters_.push_back(w);
  listed_.store(listed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool condition_variable::give_up(waiter& w) noexcept {
  const holding hold(guard_);
  if (!w.is_listed) return false;
  waiters_.remove(w);
  listed_.store(listed_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return true;
}

void condition_variable::wake_one() noexcept {
  waiter* w;
  {
    const holding hold(guard_);
    w = waiters_.pop();
    if (w == nullptr) return;
    listed_.store(listed_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  w->point.end();
}

void condition_variable::wake_all() noexcept {
  detail::waiter_list all;
  {
    const holding hold(guard_);
    all = waiters_.take_all();
    listed_.store(0, std::memory_order_relaxed);
  }
  all.end_all();
}

}  // namespace heist::inline v0
