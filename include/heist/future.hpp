// Results that come later.
//
//     heist::future<image> f = pool.submit([] { return load("a.png"); });
//     heist::future<image> small = std::move(f).then([](image i) { return shrink(i); });
//     show(small.get());
//
// A worker that waits suspends its fiber, and its thread does other work; a thread outside any pool sleeps.
#pragma once

#include <chrono>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "heist/detail/export.hpp"
#include "heist/detail/future_state.hpp"
#include "heist/detail/monostate.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0 {

template <class T>
class future;

namespace detail {

[[noreturn]] HEIST_API void throw_no_result(const char* member);

struct future_access;

template <class F, class T>
struct then_result : std::invoke_result<F, T> {};
template <class F>
struct then_result<F, void> : std::invoke_result<F> {};

}  // namespace detail

// The one result of a function that was submitted, or of what is built on such. Belongs to one owner at a time, and isn't
// for use by two threads at once. Destroying it waits for nothing and cancels nothing.
template <class T>
class [[nodiscard]] future {
 public:
  using value_type = T;

  future() noexcept = default;  // of nothing
  future(future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~future() {
    if (state_ != nullptr) state_->leave();
  }

  // Whether there is a result to come or to take. All members below throw usage_error if there isn't.
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }

  [[nodiscard]] bool is_ready() const { return checked("is_ready").is_ready(); }

  // Returns when the result is there. Throws usage_error if the caller's own fiber is to make it.
  void wait() const { checked("wait").wait(); }

  // Whether the result is there after that time at most. Throw resource_error or std::bad_alloc if they have to wait and
  // can't.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time) const {
    return checked("wait_for").wait_until(detail::due_in(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> time) const {
    return checked("wait_until").wait_until(detail::due_at(time));
  }

  // Waits, and returns the result or throws the exception. Only once: then valid() is false.
  T get() {
    checked("get").wait();
    const future taken(std::move(*this));
    return taken.state_->take();
  }

  // The future of f(get()), or f() if T is void, called on a worker when the result is there; if an exception is, f isn't
  // called and the exception is passed on. This future ends to be valid. It is called in the pool that made the result;
  // if it is there already, in the caller's, or the default one. One allocation. Throws std::bad_alloc,
  // and what moving f or making the default pool throws; then f is not called, and the result is lost.
  template <class F>
  auto then(F&& f) && -> future<typename detail::then_result<std::decay_t<F>, T>::type>;
  // The same; f isn't called if a stop (a copy of it: std::stop_token, deadline) is requested by then: the exception is cancelled.
  template <stop_condition Stop, class F>
  auto then(Stop stop, F&& f) &&;

 private:
  friend detail::future_access;
  explicit future(detail::state_of<T>& s) noexcept : state_(&s) {}

  detail::state_of<T>& checked(const char* member) const {
    if (state_ == nullptr) [[unlikely]]
      detail::throw_no_result(member);
    return *state_;
  }

  detail::state_of<T>* state_ = nullptr;
};

// Hands std::decay_t<F>(f) to the caller's pool, or the default one: see pool::submit.
template <class F>
requires std::is_invocable_v<std::decay_t<F>>
auto submit(F&& f) -> future<std::invoke_result_t<std::decay_t<F>>>;

// The same; f isn't called if a stop (a copy of it: std::stop_token, deadline) is requested before it begins: the
// exception is cancelled then.
template <stop_condition Stop, class F>
requires std::is_invocable_v<std::decay_t<F>>
auto submit(Stop stop, F&& f) -> future<std::invoke_result_t<std::decay_t<F>>>;

// The future of all results in order, std::monostate for a void one. Ready when all are; if some threw, it has the
// exception of the first of these in the order of the arguments. Two allocations. Throws usage_error if one of them is
// not valid.
template <class... T>
requires(sizeof...(T) > 0) auto when_all(future<T>... inputs)
    -> future<std::tuple<std::conditional_t<std::is_void_v<T>, std::monostate, T>...>>;

// The same for a number of them that is known at run time; nothing instead of a vector for void.
template <class T>
requires(!std::is_reference_v<T>) auto when_all(std::vector<future<T>> inputs)
    -> future<std::conditional_t<std::is_void_v<T>, void, std::vector<T>>>;

}  // namespace heist::inline v0

#include "heist/detail/future_impl.hpp"
