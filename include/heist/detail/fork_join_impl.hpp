// The machinery of <heist/fork_join.hpp>: the fast path of a fork and its join, and where it leaves
// that path for the library.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/hot_path.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/monostate.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/root.hpp"
#include "heist/fork_join.hpp"

namespace heist::inline v0 {

namespace detail {

// The functions of the slow path take the position from the control's head, so that the fast path
// need not keep it for them.

// Completes a push that found the deque full or a request of a thief (split_control::asked). False:
// this thread is outside any pool, and nothing was pushed.
[[gnu::cold]] HEIST_API bool fork_slow();

// Completes a pop that found its job public. nullptr: the job was taken back, or was never pushed,
// and the caller runs it. Otherwise the job was stolen and has ended, and its result is in the job.
// Throws what the job threw. May suspend the fiber: the thread can be another one afterwards.
[[gnu::cold]] HEIST_API job* join_slow();

// The same as join_slow, for a frame whose own function threw: an exception of the job is dropped,
// and nullptr means that there is no result to destroy.
[[gnu::cold]] HEIST_API job* join_abandoned() noexcept;

// Called inside a handler: returns the exception that is being handled, so that it can be thrown
// again outside of the handler.
[[gnu::cold, gnu::returns_nonnull]] HEIST_API void* release_current_exception() noexcept;
// Never returns, but isn't declared so: LLVM doesn't shrink-wrap a function with a block that
// doesn't reach the end, and every leaf of a recursion would save registers that it doesn't use.
[[gnu::cold]] HEIST_API void* throw_released(void* exception);
[[gnu::cold]] HEIST_API void drop_released(void* exception) noexcept;

// Ends a fork whose first function threw. Its sibling isn't started; if a thief runs it already,
// this waits for it, since it may use what this frame owns. Then the exception is thrown again. All
// this happens outside of the handler: a fiber that was suspended inside it would corrupt the
// thread's stack of caught exceptions.
template <class R>
[[gnu::cold, gnu::noinline]] void* abandon(wide_position h, void* exception) {
  if (!hot_path::take_private(h)) {
    if (job* const j = join_abandoned()) destroy_result<R>(*j);
  }
  return throw_released(exception);
}

template <class R>
struct as_element {
  using type = R;
};
template <class R>
requires std::is_void_v<R>
struct as_element<R> {
  using type = std::monostate;
};

template <class... F>
inline constexpr bool all_void = (std::is_void_v<std::invoke_result_t<F>> && ...);
template <class... F>
inline constexpr bool all_return = (can_be_returned<std::invoke_result_t<F>> && ...);
template <class F>
using element = typename as_element<std::invoke_result_t<F>>::type;

// Calls f for an element of the tuple: its result, or monostate for void.
template <class F>
[[gnu::always_inline]] inline element<F> call(F&& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
    std::forward<F>(f)();
    return {};
  } else {
    return std::forward<F>(f)();
  }
}

// The element of the tuple for a result that was kept as stored_result. It is a reference, so that
// nothing is moved before the tuple is made: a move can throw.
template <class F>
using element_ref =
    std::conditional_t<std::is_void_v<std::invoke_result_t<F>>, std::monostate, element<F>&&>;
template <class F, class Kept>
[[gnu::always_inline]] inline element_ref<F> element_of([[maybe_unused]] Kept& kept) {
  using result = std::invoke_result_t<F>;
  if constexpr (std::is_void_v<result>)
    return {};
  else if constexpr (std::is_reference_v<result>)
    return static_cast<result>(*kept);
  else
    return static_cast<result&&>(kept);
}

template <class F>
element<F> take_result(job& j) {
  using result = std::invoke_result_t<F>;
  struct destroy_at_exit {
    job& j;
    ~destroy_at_exit() { destroy_result<result>(j); }
  } guard{j};
  return element_of<F>(*result_of<result>(j));
}

// Memory for the first function's result, which is made in a try block and used outside of it.
template <class T>
union uninitialised {
  T value;
  constexpr uninitialised() noexcept {}
  constexpr ~uninitialised() {}
  constexpr ~uninitialised()
  requires std::is_trivially_destructible_v<T>
  = default;
};
// Destroys that result at the end of the scope, if its destructor does anything.
template <class T>
struct value_destroyer {
  T& value;
  ~value_destroyer() { value.~T(); }
};
template <class T>
struct value_reference {
  T& value;
};
template <class T>
using result_guard =
    std::conditional_t<std::is_trivially_destructible_v<T>, value_reference<T>, value_destroyer<T>>;

// Moves the results that fork_join_outside left on the heap. Inlined, so that the fast path's tuple
// gets no address; the guard would give it one, and is only there for results whose move can throw.
template <class Results>
[[gnu::always_inline]] inline Results unpack(Results* outside) {
  if constexpr (std::is_nothrow_move_constructible_v<Results>) {
    // Element by element: g++ copies a whole tuple through memory.
    Results moved(std::get<0>(std::move(*outside)), std::get<1>(std::move(*outside)));
    delete outside;
    return moved;
  } else {
    struct delete_at_exit {
      Results* outside;
      ~delete_at_exit() { delete outside; }
    } const guard{outside};
    return std::move(*outside);
  }
}

// How a closure is passed on the path that enters the default pool: by value if the slot takes it
// by value, so that here too the caller's variable need not have an address.
template <class F>
using entering = std::conditional_t<copied_into_slot<F>, std::remove_reference_t<F>, F&&>;

template <class F, class G>
auto fork_join_outside(entering<F> f, entering<G> g) -> std::tuple<element<F>, element<G>>*;

#if HEIST_RACE
// Of a branch, until the join. Where nothing destroys it there is no flag, which would be one more
// thing to look at.
template <class T>
struct result_of_branch {
  std::conditional_t<std::is_trivially_destructible_v<T>, uninitialised<T>, std::optional<T>> made;

  template <class Make>
  void fill(Make make) {
    if constexpr (std::is_trivially_destructible_v<T>)
      ::new (static_cast<void*>(&made.value)) T(make());
    else
      made.emplace(make());
  }
  T& operator*() noexcept {
    if constexpr (std::is_trivially_destructible_v<T>)
      return made.value;
    else
      return *made;
  }
};

// Each function is a branch of its own, so that both have a place in a report.
template <class F, class G>
auto fork_join_two(F&& f, G&& g) -> std::tuple<element<F>, element<G>> {
  using first_result = std::invoke_result_t<F>;
  using second_result = std::invoke_result_t<G>;
  result_of_branch<stored_result<first_result>> first;
  result_of_branch<stored_result<second_result>> second;
  auto one = [&] { first.fill([&] { return invoke_stored<first_result>(static_cast<F&&>(f)); }); };
  auto other = [&] {
    second.fill([&] { return invoke_stored<second_result>(static_cast<G&&>(g)); });
  };
  {
    race::branches both(race::here());
    both.run(race::kind::fork, 0, one);
    both.run(race::kind::fork, 1, other);
  }
  return {element_of<F>(*first), element_of<G>(*second)};
}
#else
template <class F, class G>
[[gnu::always_inline]] inline auto fork_join_two(F&& f, G&& g)
    -> std::tuple<element<F>, element<G>> {
  using results = std::tuple<element<F>, element<G>>;
  using first_result = std::invoke_result_t<F>;
  using second_result = std::invoke_result_t<G>;

  const auto here = hot_path::here();  // until f is called, which can suspend
  const wide_position h = here.depth();
  fill<G&&, second_result>(here.slot(h), g);
  here.publish(h);
  if (here.asked(h)) [[unlikely]] {
    if (!fork_slow())
      return unpack(fork_join_outside<F, G>(static_cast<F&&>(f), static_cast<G&&>(g)));
  }
  using kept = std::remove_cv_t<stored_result<first_result>>;
  uninitialised<kept> made;
  void* exception = nullptr;
  try {
    ::new (static_cast<void*>(&made.value)) kept(invoke_stored<first_result>(static_cast<F&&>(f)));
  } catch (...) {
    exception = release_current_exception();
  }
  if (exception != nullptr) [[unlikely]]
    return unpack(static_cast<results*>(abandon<second_result>(h, exception)));
  const result_guard<kept> first{made.value};
  job* stolen = nullptr;
  if (!hot_path::take_private(h, first.value)) [[unlikely]]
    stolen = join_slow();
  if (stolen == nullptr) [[likely]]
    return results(element_of<F>(first.value), call<G>(static_cast<G&&>(g)));
  return results(element_of<F>(first.value), take_result<G>(*stolen));
}

#endif

// The result is made on the heap, since it must not lie in the frame of a fork: see `entering`.
// Only a thread that enters a pool pays for the allocation.
template <class F, class G>
[[gnu::cold, gnu::noinline]] auto fork_join_outside(entering<F> f, entering<G> g)
    -> std::tuple<element<F>, element<G>>* {
  return run_in(nullptr, [&] {
    return new auto(fork_join_two<F, G>(static_cast<F&&>(f), static_cast<G&&>(g)));
  });
}

template <class F, class G, class... Rest>
[[gnu::always_inline]] inline auto fork_join_all(F&& f, G&& g, Rest&&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return fork_join_two<F, G>(std::forward<F>(f), std::forward<G>(g));
  } else {
    auto others = [&]() { return fork_join_all(std::forward<G>(g), std::forward<Rest>(rest)...); };
    auto [first, tail] = fork_join_two<F, decltype(others)>(std::forward<F>(f), std::move(others));
    return std::tuple_cat(std::tuple<element<F>>(static_cast<element<F>&&>(first)),
                          std::move(tail));
  }
}

}  // namespace detail

template <class F, class G, class... Rest>
requires(std::is_invocable_v<F> && std::is_invocable_v<G> && (std::is_invocable_v<Rest> && ...))
[[gnu::always_inline]] inline auto fork_join(F&& f, G&& g, Rest&&... rest) {
  if constexpr (!detail::all_return<F, G, Rest...>)
    detail::say<detail::refusal::result_not_movable, F, G, Rest...>();
  else if constexpr (detail::all_void<F, G, Rest...>)
    static_cast<void>(
        detail::fork_join_all(std::forward<F>(f), std::forward<G>(g), std::forward<Rest>(rest)...));
  else
    return detail::fork_join_all(std::forward<F>(f), std::forward<G>(g),
                                 std::forward<Rest>(rest)...);
}

template <class F, class G, class... Rest>
requires(std::is_invocable_v<F> && std::is_invocable_v<G> && (std::is_invocable_v<Rest> && ...))
[[gnu::always_inline]] inline auto fork_join_lazily(F&& f, G&& g, Rest&&... rest) {
  if constexpr (detail::all_return<F, G, Rest...> && !HEIST_RACE) {
    const auto here = detail::hot_path::here();
    const detail::wide_position h = here.depth();
    // With other deques than split the bound is the greatest position.
    const bool has_enough = h >= std::uint64_t{here.bound()} + lazy_forks * sizeof(detail::job);
    if (!has_enough || here.asked(h)) [[unlikely]]
      return fork_join(std::forward<F>(f), std::forward<G>(g), std::forward<Rest>(rest)...);
    if constexpr (detail::all_void<F, G, Rest...>) {
      std::forward<F>(f)();
      std::forward<G>(g)();
      (std::forward<Rest>(rest)(), ...);
    } else {
      return std::tuple<detail::element<F>, detail::element<G>, detail::element<Rest>...>{
          detail::call<F>(std::forward<F>(f)), detail::call<G>(std::forward<G>(g)),
          detail::call<Rest>(std::forward<Rest>(rest))...};
    }
  } else {
    return fork_join(std::forward<F>(f), std::forward<G>(g), std::forward<Rest>(rest)...);
  }
}

// One function, or functions that can't be called. The form with a stop condition is in
// <heist/cancellation.hpp>.
template <class First, class... F>
requires(!detail::asks_for_stop<First> &&
         (sizeof...(F) == 0 || !(std::is_invocable_v<First> && (std::is_invocable_v<F> && ...))))
detail::refused fork_join(First&&, F&&...) {
  detail::say<sizeof...(F) == 0 ? detail::refusal::arguments : detail::refusal::not_callable>();
  return {};
}

}  // namespace heist::inline v0
