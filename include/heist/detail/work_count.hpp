// A count of unfinished work, and the waiters for its end.
#pragma once

#include <cstdint>

#include "heist/detail/invariant.hpp"
#include "heist/detail/short_lock.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0::detail {

// Counts what was begun and isn't over. It may be destroyed as soon as wait() has returned, even if
// the last finish() hasn't returned yet: the thread that brings the count to 0 releases the lock
// before it wakes the waiters, and then touches only the list that it took out.
class work_count {
 public:
  void start() noexcept {
    const holding hold(guard_);
    ++count_;
  }
  void finish() noexcept {
    waiter_list woken;
    {
      const holding hold(guard_);
      HEIST_INVARIANT("task_group.cpp G1", count_ != 0);
      if (--count_ == 0) woken = waiters_.take_all();
    }
    woken.end_all();
  }
  [[nodiscard]] bool is_over() noexcept {
    const holding hold(guard_);
    return count_ == 0;
  }
  // Returns when the count was 0: at once if it is 0 now. A fiber is suspended, a thread sleeps.
  void wait(awaited what = {}) noexcept {
    waiter me;
    {
      const holding hold(guard_);
      if (count_ == 0) return;
      waiters_.push_back(me);
    }
    me.point.wait(what);
  }

 private:
  short_lock guard_;
  std::uint64_t count_ = 0;  // guarded by guard_, as is the next
  waiter_list waiters_;
};

}  // namespace heist::inline v0::detail
