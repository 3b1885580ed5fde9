// reducer<T>: a value that parallel functions add to, in the order of the program.
//
//     heist::reducer<std::string> text;
//     heist::parallel_for(0, n, [&](int i) { *text += describe(i); });
//     std::string all = text.take();                      // what a plain loop would have made
//
// The operation must be associative, and need not be commutative. Where a fork or a spawner's rest
// is stolen, the thief begins with a new view, the identity, and the join puts that view to the
// right of what came before. So views are made only at steals, and the result is the same for any
// number of workers (for floating-point sums too, up to associativity).
//
// Source: reducer hyperobjects, Frigo, Halpern, Leiserson, Lewin-Berlin, 2009.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "heist/detail/functional.hpp"
#include "heist/detail/reducer_base.hpp"
#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

namespace detail {
template <class Op, class T>
inline constexpr bool reduces = std::is_invocable_r_v<T, const Op&, T&&, T&&>;
}

// What a reducer of T combines its views with: op(T, T) makes one T from two neighbours.
template <class Op, class T>
concept reducer_operation =
    detail::demand(detail::reduces<Op, T>, "heist: the const op(T&&, T&&) must give a T");

// op must be associative. It must not fork, wait or throw: an exception while views are merged,
// std::bad_alloc too, ends the program.
//
// Reducers work with fork_join, with loops and algorithms (loops with the default partitioner; the
// others run iterations out of order), with scopes whose own function spawns into the innermost
// scope, and with pool::run. Other functions have no place in the order: submitted functions, jobs,
// task objects, nodes of a graph, children of spawn_kind::child, and what a child spawns into its
// parent's scope. If such a function leaves a view, the program ends with a message. The stages of
// a pipeline, and functions that run beside the workers (blocking), must not use reducers either.
template <class T, reducer_operation<T> Op = std::plus<>>
class reducer final : private detail::reducer_base {
 public:
  using value_type = T;

  // The value begins as T(), which must be op's identity.
  reducer()
  requires std::default_initializable<T>
      : reducer(T()) {}
  // The same with the given identity, which is copied for each view.
  explicit reducer(T identity, Op op = Op())
      : identity_(std::move(identity)), op_(std::move(op)), value_(identity_) {}

  // Everything that uses the reducer must have been joined.
  ~reducer();

  // The caller's view; the caller may add to it on the right. After any fork, spawn, join or wait
  // another function may own that view: call view() again then. Throws what copying the identity
  // throws, and std::bad_alloc. Safe in functions that run at the same time; costs a few ns, and
  // more when one function uses many reducers.
  T& view();
  // The same view.
  T& operator*() { return view(); }
  T* operator->() { return std::addressof(view()); }

  // The value so far. To be called by the function that made the reducer, or by one of its callers,
  // when everything that was forked or spawned since then and uses the reducer has been joined. On
  // one thread at a time.
  const T& get();
  // The same; then the reducer begins anew.
  T take();

 private:
  struct node;

  void merge(detail::view_node* left, detail::view_node* right) noexcept override;

  const T identity_;
  [[no_unique_address]] const Op op_;
  T value_;
};

}  // namespace heist::inline v0

#include "heist/detail/reducer_impl.hpp"
