// future<T>: a result that comes later, of a submitted function or of what follows it.
//
//     heist::future<image> f = pool.submit([] { return load("a.png"); });
//     heist::future<image> small = std::move(f).then([](image i) { return shrink(i); });
//     show(small.get());
//
// A fiber that waits is suspended, and its thread does other work; a thread outside any pool
// sleeps.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/chrono.hpp"
#include "heist/detail/future_state.hpp"
#include "heist/detail/monostate.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0 {

template <class T>
class future;

namespace detail {
struct future_access;
template <class F, class T>
consteval refusal why_not_followed();
template <class... Arguments>
inline constexpr bool is_submitted = false;
template <class T, class... Arguments>
inline constexpr bool is_followed = false;
}  // namespace detail

// What a function F returns that follows a future<T>: it is called with a T, or without arguments
// if T is void.
template <class F, class T>
using then_result_t = typename std::conditional_t<std::is_void_v<T>, std::invoke_result<F>,
                                                  std::invoke_result<F, T>>::type;

// The one result of a function that was submitted, or of what was built with then() or when_all().
// A future belongs to one owner at a time, and two threads must not use it at once. Destroying it
// waits for nothing and cancels nothing.
template <class T>
class [[nodiscard]] future {
 public:
  using value_type = T;

  future() noexcept = default;  // without a result
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    future taken(std::move(other));  // so that the other one has no result afterwards
    std::swap(state_, taken.state_);
    return *this;
  }
  ~future() {
    if (state_ != nullptr) state_->leave();
  }

  // Whether this future has a result, or will have one. All members below throw usage_error if it
  // doesn't.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  // Whether get() would return at once. Costs one load.
  [[nodiscard]] bool is_ready() const { return checked("is_ready").is_ready(); }

  // Returns when the result is ready. If the function still waits in the queue of the pool whose
  // worker calls this, the caller calls it itself. Throws usage_error if the calling fiber itself
  // has to make the result, and under HEIST_CHECK=1 deadlock where it would never return.
  void wait() const {
    checked("wait").wait();
    detail::race::joins(state_);
  }

  // Wait for that time at most; return whether the result is ready. Throw resource_error or
  // std::bad_alloc if they have to wait and can't.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time) const {
    return waits_until("wait_for", detail::due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> time) const {
    return waits_until("wait_until", detail::due_at(time));
  }

  // Waits, and returns the result or throws the exception. Only once: afterwards valid() is false.
  T get() {
    checked("get").wait();
    detail::race::joins(state_);
    const future taken(std::move(*this));
    return taken.state_->take();
  }

  // The future of f(get()), or of f() if T is void. f is called on a worker when the result is
  // ready; if there is an exception instead, f isn't called and the exception is passed on.
  // Afterwards valid() is false. f is called in the pool that made the result; if the result is
  // ready already, in the caller's pool, or in the default one. One allocation. Throws
  // std::bad_alloc, and what moving f or making the default pool throws; then f is not called, and
  // the result is lost.
  template <class F>
  requires(detail::why_not_followed<F, T>() == detail::refusal::none)
  auto then(F&& f, detail::place made =
                       detail::place::here()) && -> future<then_result_t<std::decay_t<F>, T>>;
  // The same under a stop condition, which is copied (std::stop_token, deadline): if a stop is
  // requested by then, f isn't called, and the exception is cancelled.
  template <stop_condition Stop, class F>
  requires(detail::why_not_followed<F, T>() == detail::refusal::none)
  auto then(Stop stop, F&& f, detail::place made = detail::place::here()) &&;
  template <class... Arguments>
  requires(!detail::is_followed<T, Arguments...>)
  detail::refused then(Arguments&&...) &&;

 private:
  friend detail::future_access;
  explicit future(detail::state_of<T>& s) noexcept : state_(&s) {}

  // Throws usage_error, which names the member, if there is no result.
  detail::state_of<T>& checked(const char* member) const;
  bool waits_until(const char* member, detail::due_time due) const {
    const bool is_there = checked(member).wait_until(due);
    if (is_there) detail::race::joins(state_);
    return is_there;
  }

  detail::state_of<T>* state_ = nullptr;
};

// Gives std::decay_t<F>(f) to the caller's pool, or to the default one: see pool::submit.
template <class F>
requires detail::can_be_kept<F>
auto submit(F&& f, detail::place made = detail::place::here())
    -> future<std::invoke_result_t<std::decay_t<F>>>;

// The same under a stop condition, which is copied (std::stop_token, deadline): if a stop is
// requested before f begins, f isn't called, and the exception is cancelled.
template <stop_condition Stop, class F>
requires detail::can_be_kept<F>
auto submit(Stop stop, F&& f, detail::place made = detail::place::here())
    -> future<std::invoke_result_t<std::decay_t<F>>>;

// The same with a priority, which orders the functions that wait at the pool's entry until a worker
// is free, no matter who submitted them: high before normal (all other submits) before low, in each
// level the oldest first. No level starves: the n-th waiting function of a level leaves the entry
// within 10 n takes. A function that runs is never interrupted, and may call those for which it
// waits itself, which count as no takes. Work that has begun goes before all that wait, except for
// one turn in 64, or one in 8 for high priority, and unless thousands of functions wait for others.
// What follows by then() is normal.
template <class F>
requires detail::can_be_kept<F>
auto submit(priority urgency, F&& f, detail::place made = detail::place::here())
    -> future<std::invoke_result_t<std::decay_t<F>>>;

// The same under a stop condition and with a priority.
template <stop_condition Stop, class F>
requires detail::can_be_kept<F>
auto submit(Stop stop, priority urgency, F&& f, detail::place made = detail::place::here())
    -> future<std::invoke_result_t<std::decay_t<F>>>;

// The future of all results in order, with std::monostate for a void one. It is ready when all are;
// if some threw, it has the exception of the first of these in the order of the arguments. Two
// allocations. Throws usage_error if one of them is not valid.
template <class... T>
requires(sizeof...(T) > 0)
auto when_all(future<T>... inputs)
    -> future<std::tuple<std::conditional_t<std::is_void_v<T>, std::monostate, T>...>>;

// The same for a number of futures that is known at run time. For future<void> the result is void,
// not a vector.
template <class T>
requires(!std::is_reference_v<T>)
auto when_all(std::vector<future<T>> inputs)
    -> future<std::conditional_t<std::is_void_v<T>, void, std::vector<T>>>;

}  // namespace heist::inline v0

#include "heist/detail/future_impl.hpp"
