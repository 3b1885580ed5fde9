#include "heist/pipeline.hpp"

#include "heist/error.hpp"

namespace heist::inline v0::detail {

struct turnstile::walker : waiter {
  std::uint64_t number = 0;
};

void turnstile::enter(std::uint64_t number) noexcept {
  walker me;
  me.number = number;
  {
    const holding hold(guard_);
    if (turn_ == number) return;
    waiters_.push_back(me);
  }
  me.point.wait();
}

void turnstile::leave() noexcept {
  waiter* next;
  {
    const holding hold(guard_);
    ++turn_;
    // This looks at no more waiters than there are tokens, and usually finds the first one.
    next = waiters_.first();
    while (next != nullptr && static_cast<walker*>(next)->number != turn_) next = next->next;
    if (next != nullptr) waiters_.remove(*next);
  }
  if (next != nullptr) next->point.end();
}

void throw_no_tokens() { throw usage_error("pipeline: 0 tokens let nothing through"); }

}  // namespace heist::inline v0::detail
