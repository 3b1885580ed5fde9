// The public face of the platform's asymmetric barrier.
#include "heist/deque/heavy_barrier.hpp"

#include <array>

#include "platform/barrier.hpp"
#include "platform/thread.hpp"

namespace heist::inline v0::deque {

heavy_barrier_target heavy_barrier_target::this_thread() {
  platform::asymmetric_barrier::instance().admit_this_thread();
  return heavy_barrier_target(platform::thread_id());
}

void heavy_barrier(heavy_barrier_target owner) noexcept {
  // noexcept: whoever made the target has made the instance, so this doesn't.
  platform::asymmetric_barrier::instance().heavy_barrier(std::array{pid_t{owner.tid_}});
}

}  // namespace heist::inline v0::deque
