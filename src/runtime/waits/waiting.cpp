#include "heist/detail/waiting.hpp"

#include "runtime/core/worker.hpp"
#include "runtime/waits/rendezvous.hpp"

namespace heist::inline v0::detail {

void wait_point::wait(awaited what) noexcept { wait_until_settled(state_, what); }

void wait_point::end() noexcept {
  if (fiber* const f = settle_for_fiber(state_, job::done)) make_ready(*f);
}

const void* current_fiber() noexcept {
  worker* const w = this_worker();
  return w == nullptr ? nullptr : w->current.get();
}

}  // namespace heist::inline v0::detail
