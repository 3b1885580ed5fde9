// How much is left to do in a place, for those who wait until nothing is.
#pragma once

#include <cstdint>

#include "heist/detail/short_lock.hpp"
#include "heist/detail/waiters.hpp"

namespace heist::inline v0::detail {

// Counts what was begun and isn't over. It may be destroyed as soon as wait() has returned, also while the last
// finish() is about to: who brings the count to 0 lets the lock go before it wakes anybody, and touches only what it took out.
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
      if (--count_ == 0) woken = waiters_.take_all();
    }
    woken.end_all();
  }
  // Returns when the count was 0: at once if it is. A fiber is suspended, a thread sleeps.
  void wait() noexcept {
    waiter me;
    {
      const holding hold(guard_);
      if (count_ == 0) return;
      waiters_.push_back(me);
    }
    me.point.wait();
  }

 private:
  short_lock guard_;
  std::uint64_t count_ = 0;  // guarded by guard_, as is the next
  waiter_list waiters_;
};

}  // namespace heist::inline v0::detail
