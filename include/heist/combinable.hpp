// combinable<T>: one value for each thread that asks for one; they are combined in the end.
//
//     heist::combinable<long> sum;
//     heist::parallel_for(0, n, [&](std::size_t i) { sum.local() += f(i); });
//     long total = sum.combine(std::plus{});
//
// The threads may be workers of several pools, nested ones too, or of none. What is added to which
// value depends on which thread runs what, so the operation should be associative and commutative;
// reduce and reducer give the same result every time.
#pragma once

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "heist/detail/functional.hpp"
#include "heist/detail/refusal.hpp"

namespace heist::inline v0 {

// Each value is made by its own thread and lies on cache lines of its own.
template <class T>
class combinable {
 public:
  using value_type = T;

  // Each value begins as T().
  combinable()
  requires std::default_initializable<T>
      : combinable([] { return T(); }) {}

  // Each value begins as factory(), which several threads may call at once, each for itself. If it
  // throws, so does local(), and the next local() tries again. The constructor throws what copying
  // the factory throws.
  template <class F>
  requires(!std::same_as<F, combinable> && detail::is_factory<F, T>)
  explicit combinable(F factory) : make_(std::move(factory)) {}
  template <class F>
  requires(!std::same_as<F, combinable> && !detail::is_factory<F, T>)
  explicit combinable(F) {
    detail::say<detail::refusal::factory, F>();
  }

  combinable(const combinable&) = delete;
  combinable& operator=(const combinable&) = delete;
  ~combinable() { clear(); }

  // The value of the caller's thread. A function can change its thread in every fork, spawn, join
  // and wait, and another function may then use the value: call local() again after each. Throws
  // what the factory throws, and std::bad_alloc. Thread-safe; costs a few ns when the value exists,
  // unless there are many times 64 threads.
  T& local();

  // The members below may only be called while no other function calls local() or uses what it
  // returned: after the joins.

  // Calls f(value) for each of the values, in no particular order.
  template <std::invocable<T&> F>
  void combine_each(F&& f);
  template <class F>
  requires(!std::invocable<F, T&>)
  void combine_each(F&&) {
    detail::say<detail::refusal::visiting, F>();
  }

  // Returns op(op(a, b), c) and so on over the values, in no particular order; a new value if there
  // are none.
  template <class Op>
  requires std::is_invocable_r_v<T, Op&, const T&, const T&>
  T combine(Op op);
  template <class Op>
  requires(!std::is_invocable_r_v<T, Op&, const T&, const T&>)
  T combine(Op) {
    detail::say<detail::refusal::combining, Op>();
    return detail::refused();
  }

  // How many values there are.
  [[nodiscard]] std::size_t size();

  // Destroys all values; local() makes new ones.
  void clear() noexcept;

 private:
  struct node;
  using list = std::atomic<node*>;

  static node* find(const list& values, std::uint64_t thread) noexcept;
  // Calls f(node) for each of the nodes.
  template <class F>
  void each(F&& f);

  std::function<T()> make_;
  std::array<list, 64> lists_{};
};

}  // namespace heist::inline v0

#include "heist/detail/combinable_impl.hpp"
