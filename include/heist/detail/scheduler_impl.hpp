// The machinery of <heist/scheduler.hpp>: operations, and the loop of a bulk sender.
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include "heist/cancellation.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/parallel_for.hpp"
#include "heist/scheduler.hpp"

namespace heist::inline v0 {

namespace detail {

struct no_stop_token {
  [[nodiscard]] static constexpr bool stop_requested() noexcept { return false; }
};

template <class R>
concept has_stop_token = requires(const R& r) {
  { r.get_env().query(execution::get_stop_token) } -> stop_condition;
};

// The stop token of the receiver's environment; if it has none, one that always says false.
template <class R>
auto stop_token_of(const R& r) noexcept {
  if constexpr (has_stop_token<R>)
    return r.get_env().query(execution::get_stop_token);
  else
    return no_stop_token{};
}

}  // namespace detail

// It contains the node for the pool's queue, so starting allocates nothing.
template <class R>
class scheduler::operation : private detail::root {
 public:
  operation(pool& p, R r) noexcept : detail::root(&complete), pool_(&p), receiver_(std::move(r)) {
    is_awaited = false;
  }

  // Once.
  void start() & noexcept {
    std::exception_ptr thrown;
    try {
      return start_in(*pool_, *this);
    } catch (...) {
      thrown = std::current_exception();
    }
    std::move(receiver_).set_error(std::move(thrown));
  }

 private:
  static void complete(detail::root& r) noexcept {
    auto& self = static_cast<operation&>(r);
    if (detail::stop_token_of(self.receiver_).stop_requested())
      std::move(self.receiver_).set_stopped();
    else
      std::move(self.receiver_).set_value();
  }

  pool* const pool_;
  R receiver_;
};

namespace detail {

template <class R, class Shape, class F>
class bulk_receiver {
 public:
  bulk_receiver(scheduler where, R r, Shape shape,
                F f) noexcept(std::is_nothrow_move_constructible_v<F>)
      : scheduler_(where), receiver_(std::move(r)), shape_(shape), function_(std::move(f)) {}

  template <class... Values>
  void set_value(Values&&... values) && noexcept {
    std::exception_ptr thrown;
    bool was_stopped = false;
    const auto body = [&](Shape i) { function_(i, values...); };
    try {
      if constexpr (has_stop_token<R>)
        parallel_for(scheduler_.where(), stop_token_of(receiver_), Shape{}, shape_, body);
      else
        parallel_for(scheduler_.where(), Shape{}, shape_, body);
    } catch (const cancelled&) {
      // It comes from this loop, or from a construct in the body, where it is an error like any
      // other.
      was_stopped = stop_token_of(receiver_).stop_requested();
      thrown = std::current_exception();
    } catch (...) {
      thrown = std::current_exception();
    }
    if (was_stopped)
      std::move(receiver_).set_stopped();
    else if (thrown)
      std::move(receiver_).set_error(std::move(thrown));
    else
      std::move(receiver_).set_value(std::forward<Values>(values)...);
  }
  template <class Error>
  void set_error(Error&& error) && noexcept {
    std::move(receiver_).set_error(std::forward<Error>(error));
  }
  void set_stopped() && noexcept { std::move(receiver_).set_stopped(); }
  decltype(auto) get_env() const noexcept
  requires requires(const R& r) { r.get_env(); }
  {
    return receiver_.get_env();
  }

 private:
  scheduler scheduler_;
  R receiver_;
  Shape shape_;
  F function_;
};

}  // namespace detail

template <class Sender, std::integral Shape, class F>
template <class Self, class R>
auto execution::bulk_sender<Sender, Shape, F>::connect_to(Self&& self, R&& r) {
  const scheduler where = self.sender_.get_env().query(get_completion_scheduler<set_value_t>);
  return std::forward<Self>(self).sender_.connect(detail::bulk_receiver<std::decay_t<R>, Shape, F>(
      where, std::forward<R>(r), self.shape_, std::forward<Self>(self).function_));
}

}  // namespace heist::inline v0
