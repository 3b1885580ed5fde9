// The public face of the platform's asymmetric barrier.
#include "heist/deque/heavy_barrier.hpp"

#include <algorithm>
#include <array>

#include "platform/barrier.hpp"
#include "platform/thread.hpp"

namespace heist::inline v0::deque {

heavy_barrier_target heavy_barrier_target::this_thread() {
  platform::asymmetric_barrier::instance().admit_this_thread();
  return heavy_barrier_target(static_cast<int>(platform::thread_id()));
}

void heavy_barrier(heavy_barrier_target owner) noexcept {
  // noexcept: whoever made the target has made the instance, so this doesn't.
  platform::asymmetric_barrier::instance().heavy_barrier(std::array{pid_t{owner.tid_}});
}

void heavy_barrier(const heavy_barrier_target* owners, std::size_t count) noexcept {
  std::array<pid_t, 64> tids;
  while (count != 0) {
    const std::size_t n = std::min(count, tids.size());
    for (std::size_t i = 0; i < n; ++i) tids[i] = owners[i].tid_;
    platform::asymmetric_barrier::instance().heavy_barrier({tids.data(), n});
    owners += n;
    count -= n;
  }
}

}  // namespace heist::inline v0::deque
