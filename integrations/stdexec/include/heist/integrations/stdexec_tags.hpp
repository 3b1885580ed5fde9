// What the adapter for stdexec is made of: tags, signatures, and the operation of schedule().
#pragma once

#include <stdexec/execution.hpp>

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include "heist/scheduler.hpp"

namespace heist::inline v0::integrations::stdexec_detail {

// The tags by which a class says what it is have changed their names (sender_t, sender_tag), and
// not every version has all of them. So they are taken from types of stdexec's own.
using sender_concept = typename decltype(stdexec::just())::sender_concept;

template <class Scheduler>
struct scheduler_tag_of {
  friend bool operator==(const scheduler_tag_of&, const scheduler_tag_of&) noexcept = default;
};
template <class Scheduler>
requires requires { typename Scheduler::scheduler_concept; }
struct scheduler_tag_of<Scheduler> {
  using scheduler_concept = typename Scheduler::scheduler_concept;
  friend bool operator==(const scheduler_tag_of&, const scheduler_tag_of&) noexcept = default;
};
using scheduler_tag =
    scheduler_tag_of<decltype(std::declval<stdexec::run_loop&>().get_scheduler())>;

template <class Operation>
struct operation_tag_of {};
template <class Operation>
requires requires { typename Operation::operation_state_concept; }
struct operation_tag_of<Operation> {
  using operation_state_concept = typename Operation::operation_state_concept;
};
template <class R>
using operation_tag = operation_tag_of<stdexec::connect_result_t<decltype(stdexec::just()), R>>;

// Whether what runs there may be asked to stop.
template <class Env>
concept stoppable = !stdexec::unstoppable_token<stdexec::stop_token_of_t<Env>>;

// The completions of a sender that are on its pool's workers.
template <class Tag>
concept pool_completion =
    std::same_as<Tag, stdexec::set_value_t> || std::same_as<Tag, stdexec::set_stopped_t>;

template <class Env>
using schedule_signatures = std::conditional_t<
    stoppable<Env>,
    stdexec::completion_signatures<stdexec::set_value_t(), stdexec::set_stopped_t()>,
    stdexec::completion_signatures<stdexec::set_value_t()>>;

// Translates the completions of heist's sender into stdexec's.
template <class R>
class translation {
 public:
  explicit translation(R r) noexcept : receiver_(std::move(r)) {}

  void set_value() && noexcept { stdexec::set_value(std::move(receiver_)); }
  // Ends the program with the exception's text.
  void set_error(std::exception_ptr thrown) && noexcept { std::rethrow_exception(thrown); }
  void set_stopped() && noexcept {
    if constexpr (stoppable<stdexec::env_of_t<R>>) stdexec::set_stopped(std::move(receiver_));
  }

  class environment {
   public:
    explicit environment(const R& r) noexcept : receiver_(r) {}
    [[nodiscard]] auto query(execution::get_stop_token_t) const noexcept {
      return stdexec::get_stop_token(stdexec::get_env(receiver_));
    }

   private:
    const R& receiver_;
  };
  [[nodiscard]] environment get_env() const noexcept
  requires stoppable<stdexec::env_of_t<R>>
  {
    return environment(receiver_);
  }

 private:
  R receiver_;
};

// Contains heist's operation, which contains its node for the pool's queue.
template <class R>
class operation : public operation_tag<R> {
 public:
  operation(const scheduler& s, R r) noexcept
      : inner_(s.schedule().connect(translation<R>(std::move(r)))) {}
  operation(const operation&) = delete;
  operation& operator=(const operation&) = delete;

  void start() & noexcept { inner_.start(); }

 private:
  using inner = decltype(std::declval<scheduler::sender>().connect(std::declval<translation<R>>()));
  inner inner_;
};

// ---- Completion signatures as lists.

template <class Signatures, class... More>
struct with;
template <class... S>
struct with<stdexec::completion_signatures<S...>> {
  using type = stdexec::completion_signatures<S...>;
};
template <class... S, class First, class... More>
struct with<stdexec::completion_signatures<S...>, First, More...>
    : with<std::conditional_t<(std::same_as<S, First> || ...), stdexec::completion_signatures<S...>,
                              stdexec::completion_signatures<S..., First>>,
           More...> {};

// The signatures with more of them, each once.
template <class Signatures, class... More>
using with_t = typename with<Signatures, More...>::type;

}  // namespace heist::inline v0::integrations::stdexec_detail
