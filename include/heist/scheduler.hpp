// scheduler: a pool in the shape of P2300, std::execution, for programs made of senders and
// receivers.
//
//     const heist::scheduler scheduler(pool);
//     auto work = heist::execution::bulk(scheduler.schedule(), rows, [&](std::size_t row) { ... });
//     auto operation = std::move(work).connect(receiver);   // nothing is allocated, here or later
//     operation.start();  // receiver.set_value() is called on a worker
//
// A subset, in the form of P2300R10, where everything is a member: schedule, connect, start,
// set_value, set_error, set_stopped, get_env, query. There are a scheduler, its sender, and bulk, a
// loop from which other workers steal. then, when_all, sync_wait and the rest come from the library
// that the program uses. The tags are heist's own, since no standard library that heist supports
// has any: a receiver that can be stopped answers query(heist::execution::get_stop_token).
//
// Source: P2300R10, std::execution (Dominiak, Evtushenko, Baker, Teodorescu, Howes, Shoop, Garland,
// Niebler, Lelbach), 2024.
#pragma once

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include "heist/detail/root.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

namespace execution {

// How an operation may end: in completion_signatures, set_value_t(int) stands for
// receiver.set_value(int).
struct set_value_t {};
struct set_error_t {};
struct set_stopped_t {};
// The ways in which a sender's operation may end, as types.
template <class... Signatures>
struct completion_signatures {};

// The queries that an environment may answer, by env.query(...).
struct get_stop_token_t {};                          // a receiver's: anything with stop_requested()
inline constexpr get_stop_token_t get_stop_token{};  // the query itself
template <class Completion>
struct get_completion_scheduler_t {};  // a sender's: on which scheduler it completes so
template <class Completion>
inline constexpr get_completion_scheduler_t<Completion> get_completion_scheduler{};

// One of its completions is called, once, by a worker, as an rvalue. set_value takes what the
// sender sends.
template <class R>
concept receiver = std::is_nothrow_move_constructible_v<R> && std::same_as<R, std::decay_t<R>> &&
                   requires(R r, std::exception_ptr thrown) {
                     { std::move(r).set_error(std::move(thrown)) } noexcept;
                     { std::move(r).set_stopped() } noexcept;
                   };

}  // namespace execution

// A handle as small as a pointer, which can be copied and compared. The pool must outlive its
// senders and operations.
class scheduler {
  template <class R>
  class operation;

 public:
  // The environment of its senders: they complete on a worker of the pool.
  class env {
   public:
    // The scheduler on whose workers an operation completes so.
    [[nodiscard]] scheduler query(
        execution::get_completion_scheduler_t<execution::set_value_t>) const noexcept {
      return scheduler(*pool_);
    }
    [[nodiscard]] scheduler query(
        execution::get_completion_scheduler_t<execution::set_stopped_t>) const noexcept {
      return scheduler(*pool_);
    }

   private:
    friend scheduler;
    explicit env(pool& p) noexcept : pool_(&p) {}
    pool* pool_;
  };

  // Completes with set_value() on a worker; with set_stopped() if the receiver's stop token says so
  // by then; with set_error(), from start() and on the caller's thread, for what pool::submit
  // throws, except std::bad_alloc.
  class sender {
   public:
    // How its operations may end.
    using completion_signatures =
        execution::completion_signatures<execution::set_value_t(),
                                         execution::set_error_t(std::exception_ptr),
                                         execution::set_stopped_t()>;
    // For P2300R7 and libraries of that time.
    using is_sender = void;

    // Returns an operation that can't be moved and must live until it has completed. It completes
    // by calling the receiver, which may destroy it. Throws nothing, allocates nothing.
    template <class R>
    requires execution::receiver<std::decay_t<R>>
    [[nodiscard]] auto connect(R&& r) const noexcept {
      return operation<std::decay_t<R>>(*env_.pool_, std::forward<R>(r));
    }
    // The environment of its operations.
    [[nodiscard]] env get_env() const noexcept { return env_; }

   private:
    friend scheduler;
    explicit sender(pool& p) noexcept : env_(p) {}
    env env_;
  };

  // Operations complete in p. Costs nothing.
  explicit scheduler(pool& p) noexcept : pool_(&p) {}

  // A sender that completes on a worker. Allocates nothing; throws nothing.
  [[nodiscard]] sender schedule() const noexcept { return sender(*pool_); }

  // The pool in which it schedules.
  [[nodiscard]] pool& where() const noexcept { return *pool_; }

  friend bool operator==(const scheduler&, const scheduler&) noexcept = default;

 private:
  static void start_in(pool& p, detail::root& r) { detail::start_root(p.impl_.get(), r); }

  pool* pool_;
};

namespace execution {

// A sender that says that it completes on a heist::scheduler: the scheduler's own, or bulk's.
template <class S>
concept pool_sender = requires(const S& s) {
  { s.get_env().query(get_completion_scheduler<set_value_t>) } -> std::same_as<scheduler>;
};

// What bulk returns.
template <class Sender, std::integral Shape, class F>
class bulk_sender {
 public:
  // Those of the sender before it, which must have set_error_t(std::exception_ptr) and
  // set_stopped_t() among them.
  using completion_signatures = typename Sender::completion_signatures;
  // For P2300R7 and libraries of that time.
  using is_sender = void;

  // See bulk, which finds the types.
  bulk_sender(Sender s, Shape shape, F f)
      : sender_(std::move(s)), shape_(shape), function_(std::move(f)) {}

  // Returns an operation that must live until it has completed: then the loop has run, or was left
  // out because the sender before it failed or was stopped. Throws what connecting that sender
  // throws, and what copying or moving the function throws.
  template <class R>
  requires receiver<std::decay_t<R>>
  [[nodiscard]] auto connect(R&& r) && {
    return connect_to(std::move(*this), std::forward<R>(r));
  }
  template <class R>
  requires receiver<std::decay_t<R>>
  [[nodiscard]] auto connect(R&& r) const& {
    return connect_to(*this, std::forward<R>(r));
  }
  // The environment of the sender before it.
  [[nodiscard]] auto get_env() const noexcept { return sender_.get_env(); }

 private:
  template <class Self, class R>
  static auto connect_to(Self&& self, R&& r);

  Sender sender_;
  Shape shape_;
  F function_;
};

// A sender for a loop. When `before`, which completes on a heist::scheduler, has sent its values,
// it calls f(i, values...) for every i with 0 <= i < shape, perhaps at the same time, and then
// sends the same values. The calls are a parallel_for in that pool. If one throws, the sender
// completes with set_error and the leftmost exception; if the receiver's stop token stops the loop
// before all calls have begun, it completes with set_stopped. bulk throws what moving `before` and
// f throws; so does connecting to its sender.
template <class Sender, std::integral Shape, class F>
requires pool_sender<std::decay_t<Sender>>
[[nodiscard]] auto bulk(Sender&& before, Shape shape, F&& f) {
  return bulk_sender<std::decay_t<Sender>, Shape, std::decay_t<F>>(std::forward<Sender>(before),
                                                                   shape, std::forward<F>(f));
}

}  // namespace execution

}  // namespace heist::inline v0

#include "heist/detail/scheduler_impl.hpp"
