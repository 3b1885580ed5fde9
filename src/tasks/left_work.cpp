#include "tasks/left_work.hpp"

#include "heist/scope.hpp"
#include "runtime/core/pool_impl.hpp"

namespace heist::inline v0::detail {

bool left_work::may_wait(const worker& w) const noexcept {
  // Relaxed: as in control::asked().
  return !w.counts_all && top_ < w.deque->capacity &&
         w.deque->limit.load(std::memory_order_relaxed) == 0 && !w.pool.somebody_sleeps();  // S7
}

void scope_floor::raise() noexcept {
  before_ = left_->raise_floor(static_cast<position>(hot_path::depth()));
}
void scope_floor::lower() noexcept { static_cast<void>(left_->raise_floor(before_)); }

}  // namespace heist::inline v0::detail
