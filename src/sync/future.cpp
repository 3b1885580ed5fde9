#include "heist/when_any.hpp"

#include <string>

#include "heist/cancellation.hpp"
#include "heist/detail/earliest_exception.hpp"
#include "heist/detail/refusable_wait.hpp"
#include "heist/detail/waiters.hpp"
#include "heist/error.hpp"

namespace heist::inline v0::detail {

// Waiting for one's own result never ends. Relaxed: it matters to that fiber alone.
void future_state::refuse_own_wait() const {
  const void* const maker = maker_.load(std::memory_order_relaxed);
  if (maker != nullptr && maker == current_fiber())
    throw usage_error("future: a function waits for its own result");
}

namespace {

struct waiting : continuation {
  waiting() noexcept
      : continuation{[](continuation& c) noexcept { static_cast<waiting&>(c).point.end(); }} {}
  wait_point point{};
};

struct waiting_in_time : waiting, alarm {
  waiting_in_time(future_state& s, due_time due)
      : alarm(
            [](alarm& a) noexcept {
              auto& self = static_cast<waiting_in_time&>(a);
              if (self.state.detach(self)) self.point.end();
            },
            due),
        state(s) {}
  future_state& state;
};

}  // namespace

void future_state::wait() {
  if (!is_ready()) wait_for_result();
  note_result_used(this);
}

void future_state::wait_for_result() {
  refuse_own_wait();
  // Where waits are checked each function has a fiber of its own, so that a cycle can be told.
  const bool may_run = entry_ != nullptr && !waits_are_checked();
  if (may_run && maker() == nullptr && run_one_of(*entry_)) return;
  waiting me;
  const awaited what{wait_kind::future, false, this};
  if (!waits_are_checked()) {
    if (attach(me)) me.point.wait(what);
    return;
  }
  refusable_wait wait(what);
  if (!attach(me)) return;
  wait.wait(me.point, this, &me, [](void* state, void* node) noexcept {
    return static_cast<future_state*>(state)->detach(*static_cast<waiting*>(node));
  });
}

bool future_state::wait_until(due_time due) {
  if (!is_ready()) {
    refuse_own_wait();
    if (is_over(due)) return false;
    waiting_in_time me(*this, due);
    if (attach(me)) {
      me.set();
      me.point.wait({wait_kind::future, true, this});
    }
  }
  if (!is_ready()) return false;
  note_result_used(this);
  return true;
}

void throw_any_of_none() { throw usage_error("when_any: none of no futures is the first"); }

void throw_no_result(const char* member) {
  throw usage_error(std::string("future::") + member +
                    ": no result belongs to it; it was taken, moved away, or never there");
}

}  // namespace heist::inline v0::detail

// ---- cancellation.hpp

namespace heist::inline v0::detail {

void throw_cancelled(std::uint64_t done, std::uint64_t total) { throw cancelled(done, total); }

// ---- earliest_exception.hpp

void earliest_exception::keep(std::uint64_t number, std::exception_ptr thrown) noexcept {
  const holding hold(guard_);
  if (thrown_ && number_ < number) return;
  // The exception that is replaced isn't destroyed here, where nothing may wait, but with the
  // caller's copy.
  std::swap(thrown_, thrown);
  number_ = number;
  any_.store(true, std::memory_order_relaxed);  // see any()
}

}  // namespace heist::inline v0::detail
