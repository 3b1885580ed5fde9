#include "heist/detail/waiting.hpp"

#include "heist/error.hpp"
#include "heist/pool.hpp"
#include "runtime/environment.hpp"
#include "runtime/pool_impl.hpp"
#include "runtime/worker.hpp"

namespace heist::inline v0::detail {

void wait_point::wait() noexcept { wait_until_settled(state_); }

void wait_point::end() noexcept {
  if (fiber* const f = settle_for_fiber(state_, job::done)) make_ready(*f);
}

const void* current_fiber() noexcept {
  worker* const w = this_worker();
  return w == nullptr ? nullptr : w->current.get();
}

void start_root(pool_impl* pool, root& r) {
  worker* const w = this_worker();
  const bool is_alone = w != nullptr && w->alone && (pool == nullptr || pool == &w->pool);
  if (serial_elision() || is_alone)
    r.run(r);
  else if (pool != nullptr)
    pool->start(r);
  else if (w != nullptr)
    w->pool.start(r);
  else
    default_pool().impl_->start(r);
}

void pool_impl::start(root& r) {
  if (!belongs_to_this_process())
    throw usage_error(
        "a pool that was made before fork() has no threads in the child; make another");
  unfinished_.fetch_add(1, std::memory_order_relaxed);  // the queue's lock hands it on
  injection_.push(r);
  wake_for_injection();
}

}  // namespace heist::inline v0::detail
