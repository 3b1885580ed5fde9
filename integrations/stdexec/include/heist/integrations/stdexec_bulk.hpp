// bulk of stdexec as a loop of heist: the calls of f are a parallel_for in the pool, split when
// another worker asks for work, and the values of the sender before it stay where they are
// meanwhile, on the suspended fiber that sent them.
#pragma once

#include <stdexec/execution.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "heist/block.hpp"
#include "heist/cancellation.hpp"
#include "heist/integrations/stdexec_tags.hpp"
#include "heist/parallel_for.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0::integrations {

class stdexec_scheduler;

namespace stdexec_detail {

// How f is called: with an index, or with the ends of a part of the indices.
template <class Tag>
concept bulk_tag =
    std::same_as<Tag, stdexec::bulk_t> || std::same_as<Tag, stdexec::bulk_chunked_t> ||
    std::same_as<Tag, stdexec::bulk_unchunked_t>;
template <class Tag>
inline constexpr bool is_chunked = std::same_as<Tag, stdexec::bulk_chunked_t>;

template <class Sender>
concept bulk_expression = bulk_tag<stdexec::tag_of_t<Sender>>;

// stdexec wraps the policy, the standard doesn't.
template <class Policy>
constexpr const auto& policy_in(const Policy& p) noexcept {
  if constexpr (requires { p.__get(); })
    return p.__get();
  else
    return p;
}
template <class Policy>
inline constexpr bool is_parallel =
    std::same_as<std::remove_cvref_t<Policy>, stdexec::parallel_policy> ||
    std::same_as<std::remove_cvref_t<Policy>, stdexec::parallel_unsequenced_policy>;

// What a loop consists of.
template <class Tag, class Policy, class Shape, class F>
class bulk_loop {
 public:
  bulk_loop(pool* where, Shape shape, F f) noexcept(std::is_nothrow_move_constructible_v<F>)
      : pool_(where), shape_(shape), function_(std::move(f)) {}

  // Whether the calls can't throw if the sender before it sends values of these types.
  template <class... Values>
  static constexpr bool is_noexcept =
      is_chunked<Tag>
          ? std::is_nothrow_invocable_v<F&, Shape, Shape, std::remove_reference_t<Values>&...>
          : std::is_nothrow_invocable_v<F&, Shape, std::remove_reference_t<Values>&...>;

  // Throws what f throws, of several exceptions the leftmost, and cancelled.
  template <class Stop, class... Values>
  void run(const Stop& stop, Values&... values) {
    if (shape_ <= Shape{}) return;
    if constexpr (is_chunked<Tag> && is_parallel<Policy>)
      loop(stop, block<2>{{0, 0}, {static_cast<std::size_t>(shape_), 1}}, [&](const block<2>& b) {
        function_(static_cast<Shape>(b.first[0]), static_cast<Shape>(b.last[0]), values...);
      });
    else if constexpr (is_chunked<Tag>)
      function_(Shape{}, shape_, values...);
    else if constexpr (is_parallel<Policy>)
      loop(stop, Shape{}, shape_, [&](Shape i) { function_(i, values...); });
    else
      for (Shape i{}; i < shape_; ++i) function_(i, values...);
  }

 private:
  template <class Stop, class... What>
  void loop(const Stop& stop, What&&... what) {
    if constexpr (stdexec::unstoppable_token<Stop>)
      parallel_for(*pool_, std::forward<What>(what)...);
    else
      parallel_for(*pool_, stop, std::forward<What>(what)...);
  }

  pool* pool_;
  Shape shape_;
  F function_;
};

template <class Loop, class Signature>
inline constexpr bool never_throws = true;  // f is called after set_value only
template <class Loop, class... Values>
inline constexpr bool never_throws<Loop, stdexec::set_value_t(Values...)> =
    Loop::template is_noexcept<Values...>;

// The signatures of the sender before it; an error if f may throw, and a stop if the loop can be
// stopped.
template <class Loop, class Env, class Before>
struct bulk_signatures;
template <class Loop, class Env, class... Before>
struct bulk_signatures<Loop, Env, stdexec::completion_signatures<Before...>> {
  using before = stdexec::completion_signatures<Before...>;
  using with_error = std::conditional_t<(never_throws<Loop, Before> && ...), before,
                                        with_t<before, stdexec::set_error_t(std::exception_ptr)>>;
  using type =
      std::conditional_t<stoppable<Env>, with_t<with_error, stdexec::set_stopped_t()>, with_error>;
};

// What the receiver refers to: a receiver must be cheap to move, and f need not be.
template <class R, class Loop>
struct bulk_state {
  R receiver;
  Loop loop;
};

template <class R, class Loop>
class bulk_receiver {
 public:
  using receiver_concept = typename R::receiver_concept;

  explicit bulk_receiver(bulk_state<R, Loop>& s) noexcept : state_(&s) {}

  template <class... Values>
  void set_value(Values&&... values) && noexcept {
    const auto stop = stdexec::get_stop_token(get_env());
    std::exception_ptr thrown;
    bool was_stopped = false;
    try {
      state_->loop.run(stop, values...);
    } catch (const cancelled&) {
      // It comes from this loop, or from a construct in f, where it is an error like any other.
      was_stopped = stop.stop_requested();
      thrown = std::current_exception();
    } catch (...) {
      thrown = std::current_exception();
    }
    if (was_stopped) {
      if constexpr (stoppable<stdexec::env_of_t<R>>) stdexec::set_stopped(receiver());
    } else if (thrown) {
      if constexpr (!Loop::template is_noexcept<Values...>)
        stdexec::set_error(receiver(), std::move(thrown));
    } else {
      stdexec::set_value(receiver(), std::forward<Values>(values)...);
    }
  }
  template <class Error>
  void set_error(Error&& error) && noexcept {
    stdexec::set_error(receiver(), std::forward<Error>(error));
  }
  void set_stopped() && noexcept { stdexec::set_stopped(receiver()); }
  [[nodiscard]] stdexec::env_of_t<const R&> get_env() const noexcept {
    return stdexec::get_env(std::as_const(state_->receiver));
  }

 private:
  [[nodiscard]] R&& receiver() const noexcept { return std::move(state_->receiver); }

  bulk_state<R, Loop>* state_;
};

// Before: the sender, or a reference to it.
template <class Before, class R, class Loop>
class bulk_operation
    : private bulk_state<R, Loop>,
      public operation_tag_of<stdexec::connect_result_t<Before, bulk_receiver<R, Loop>>> {
 public:
  bulk_operation(Before&& b, R r, Loop l)
      : bulk_state<R, Loop>{std::move(r), std::move(l)},
        before_(stdexec::connect(std::forward<Before>(b), bulk_receiver<R, Loop>(*this))) {}
  bulk_operation(const bulk_operation&) = delete;
  bulk_operation& operator=(const bulk_operation&) = delete;

  void start() & noexcept { stdexec::start(before_); }

 private:
  stdexec::connect_result_t<Before, bulk_receiver<R, Loop>> before_;
};

// What bulk becomes. Connecting throws what moving `before` and f throws.
template <class Before, class Loop>
class bulk_sender {
 public:
  using sender_concept = stdexec_detail::sender_concept;

  bulk_sender(Before b, Loop l) : before_(std::move(b)), loop_(std::move(l)) {}

  template <class Self, class Env>
  static consteval auto get_completion_signatures() noexcept {
    return signatures<Env>();
  }
  template <class Env>
  constexpr auto get_completion_signatures(const Env&) const noexcept {
    return signatures<Env>();
  }

  template <stdexec::receiver R>
  [[nodiscard]] auto connect(R r) && {
    return bulk_operation<Before, R, Loop>(std::move(before_), std::move(r), std::move(loop_));
  }
  template <stdexec::receiver R>
  [[nodiscard]] auto connect(R r) const& {
    return bulk_operation<const Before&, R, Loop>(before_, std::move(r), loop_);
  }
  // It completes where the sender before it does.
  [[nodiscard]] decltype(auto) get_env() const noexcept { return stdexec::get_env(before_); }

 private:
  template <class Env>
  using signatures =
      typename bulk_signatures<Loop, Env, stdexec::completion_signatures_of_t<Before, Env>>::type;

  Before before_;
  Loop loop_;
};

// ---- From stdexec's expression, which is a tag, its data and the sender before it.

template <class Sender>
auto before_in(Sender&& s) {
  auto&& [tag, data, before] = s;
  return std::type_identity<std::remove_cvref_t<decltype(before)>>();
}
template <class Sender>
using before_t = typename decltype(before_in(std::declval<Sender>()))::type;

// Says where a sender completes: what it says itself, or, if it says nothing, where it is started.
template <class Before, class... Env>
auto where_is(const Before& before, const Env&... env) noexcept {
  constexpr auto ask = stdexec::get_completion_scheduler<stdexec::set_value_t>;
  if constexpr (requires { ask(stdexec::get_env(before)); })
    return ask(stdexec::get_env(before));
  else if constexpr (requires { ask(stdexec::get_env(before), env...); })
    return ask(stdexec::get_env(before), env...);
  else if constexpr (requires { (stdexec::get_scheduler(env), ...); } && sizeof...(Env) == 1)
    return (stdexec::get_scheduler(env), ...);
}
template <class Sender, class... Env>
concept runs_on_a_pool = std::same_as<decltype(where_is(std::declval<const before_t<Sender>&>(),
                                                        std::declval<const Env&>()...)),
                                      stdexec_scheduler>;

template <class Sender, class... Env>
auto as_pool_loop(Sender&& s, const Env&... env) {
  auto&& [tag, data, before] = s;
  auto&& [policy, shape, function] = data;
  using loop =
      bulk_loop<std::remove_cvref_t<decltype(tag)>,
                std::remove_cvref_t<decltype(policy_in(policy))>,
                std::remove_cvref_t<decltype(shape)>, std::remove_cvref_t<decltype(function)>>;
  pool* const where = &where_is(before, env...).where();
  if constexpr (std::is_lvalue_reference_v<Sender>)
    return bulk_sender<before_t<Sender>, loop>(before, loop(where, shape, function));
  else
    return bulk_sender<before_t<Sender>, loop>(std::move(before),
                                               loop(where, shape, std::move(function)));
}

}  // namespace stdexec_detail
}  // namespace heist::inline v0::integrations
