// A countdown to failure, so that tests can see what happens when the system refuses something at
// the n-th time. A root user passes most limits, so the refusals themselves are hard to bring
// about.
#pragma once

#include <atomic>

namespace heist::inline v0::platform {

// Written by a test, counted down by the one that asks the system for something. Nothing is
// published through it: it is a number of its own, so relaxed is enough, and a reader that sees an
// older value only fails one request later.
class fault_countdown {
 public:
  void arm(long after_n) noexcept { left_.store(after_n, std::memory_order_relaxed); }

  // True when this request shall fail. Off costs one load.
  [[nodiscard]] bool fails_now() noexcept {
    long left = left_.load(std::memory_order_relaxed);
    while (left > 0) {
      // Relaxed: see above; the exchange is there so that two threads never use up the same count.
      if (left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed,
                                      std::memory_order_relaxed))
        return false;
    }
    return left == 0;
  }

 private:
  std::atomic<long> left_{-1};  // requests that still work; negative: all
};

}  // namespace heist::inline v0::platform
