// scope(f): f spawns any number of functions, which may run at the same time, and all of them have
// ended when scope returns.
//
//     heist::scope([&](heist::task_scope& s) {
//       for (node* n = first; n != nullptr; n = n->next) s.spawn([n] { visit(*n); });
//     });
//
// A spawned function begins at once, as a call would, and what other workers steal is the rest of
// the spawner (spawn_kind::continuation; task_scope::spawn says where it isn't so). So one worker
// runs everything in the order of the program, a loop of a million spawns keeps one entry on the
// deque, and stack space stays within that of a serial run times the number of workers.
//
// Source: spawn and sync with child first, parent's rest stealable: Blumofe and Leiserson, 1999,
// section 4.
#pragma once

#include <cstdint>
#include <type_traits>

#include "heist/config.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/refusal.hpp"
#include "heist/detail/scope_state.hpp"
#include "heist/detail/stopping.hpp"

namespace heist::inline v0 {

class pool;

namespace detail {

// The result is returned to the caller of scope; that of a spawned function is dropped.
template <class F>
consteval refusal why_no_scope_function() {
  if constexpr (!std::is_invocable_v<F, task_scope&>)
    return refusal::scope_function;
  else
    return can_be_returned<std::invoke_result_t<F, task_scope&>> ? refusal::none
                                                                 : refusal::result_not_movable;
}
template <class F>
concept is_scope_function = why_no_scope_function<F>() == refusal::none;

}  // namespace detail

// What scope() hands to its function.
class task_scope {
 public:
  task_scope(const task_scope&) = delete;
  task_scope& operator=(const task_scope&) = delete;

  // Runs f() at once, while another worker may continue the caller. f is moved or copied to the
  // stack on which it runs, and destroyed when it has run. After spawn the thread may be another
  // one, as after fork_join. Never throws what f throws (see scope), only what copying f to the
  // argument throws.
  //
  // Where children are stolen (spawn_kind::child, stalling joins, a shared queue,
  // policy::stalling) f lies on the deque instead, and begins when a thief takes it or in sync().
  // Where the system has no stack for f, f begins later: when a worker has one, or in sync(). In a
  // measured pool (HEIST_PROFILE) without a stack, without memory, when the deque is full, and
  // under HEIST_SERIAL spawn is a call. Costs three to six forks (heist bench scope). Functions
  // that the scope's own function has forked or spawned may call it too.
  // The rounding mode and what else fesetenv() sets move with the caller to the other thread. What
  // only MXCSR holds on x86 (flushing denormals to zero) moves too if it is set before the scope's
  // first spawn.
  template <class F>
  requires detail::can_be_spawned<F>
  void spawn(F&& f);
  template <class... Arguments>
  requires(!detail::is_spawn<Arguments...>)
  void spawn(Arguments&&...) {
    detail::refuse_spawn<Arguments...>();
  }

  // Returns when everything spawned so far has ended; throws the exception of a spawned function
  // that threw. Only in the scope's own function, outside of any fork_join, and of the function of
  // any other scope, in it.
  void sync() {
    [[maybe_unused]] const detail::race::joined_at_end all(this);
    state_.sync();
  }

  // From now on spawn() does nothing, and children that were pushed but not begun are skipped.
  // Children that run may ask stop_requested(), and may pass the scope on: it is a stop_condition.
  // No exception is thrown for the stop. May be called from any thread, at any time before the
  // scope's end.
  void request_stop() noexcept { state_.request_stop(); }
  // Also true if the stop condition that the scope was given says so.
  [[nodiscard]] bool stop_requested() const noexcept { return state_.stop_requested(); }
  // How many children were skipped so far, because of request_stop() or of the stop condition.
  [[nodiscard]] std::uint64_t skipped() const noexcept { return state_.skipped(); }

 private:
  template <unsigned Flags, class F>
  friend auto detail::run_scope(detail::scope_watch* watch, F&& f)
      -> std::invoke_result_t<F, task_scope&>;
  task_scope(const void* owner, unsigned flags, detail::scope_watch* watch) noexcept
      : state_(owner, flags, watch) {}

  template <class F>
  void spawn_unusual(F& closure);

  detail::scope_state state_;
};

// Calls f(s), waits until everything that was spawned into s has ended, and returns what f
// returned.
//
// If spawned functions throw, sync() or the end of the scope throws the exception of the one that
// was spawned first, as a serial run would. Functions spawned by the scope's own function come
// before those that others spawned into it. From the first exception on, spawn() does nothing. If
// none of them throws but f does, the exception of f is thrown.
// By then everything that was started has ended.
// Thread-safe, from any thread: outside any pool it runs in the default pool (usage_error or
// resource_error if that pool can't be made).
template <class F>
requires detail::is_scope_function<F>
auto scope(F&& f) -> std::invoke_result_t<F, task_scope&>;

// The same in the pool p.
template <class F>
requires detail::is_scope_function<F>
auto scope(pool& p, F&& f) -> std::invoke_result_t<F, task_scope&>;

// The same with a spawn_kind. spawn_kind::child serves to compare the two kinds, and for children
// that must not overtake the spawner: spawn leaves the closure on the deque, and sync runs the
// children that nobody stole, newest first. Only the scope's own function can push children so,
// outside of any fork_join in it; elsewhere spawn is a call. If several throw, the rules are the
// same. A child costs about three forks, and the scope two more (heist bench scope), if its closure
// has at most 24 bytes, is aligned to 8 and moves without throwing; any other closure is moved to
// the heap, which costs ten more. When the deque is full (pool_config::fork_depth) a child begins
// at once, as in a scope of the default kind; in a measured pool (HEIST_PROFILE) it is a call then.
// spawn_kind::continuation: the scope spawns as the pool's configuration says.
template <class F>
requires detail::is_scope_function<F>
auto scope(spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&>;

// The same under a stop condition (<heist/cancellation.hpp>), which is asked before each child. f
// is called in any case; from the stop on its children are skipped. If any child was skipped,
// sync() or the end of the scope throws cancelled, whose numbers count children; an exception of a
// child, or of f, takes precedence. Costs one more atomic operation for each spawn.
template <stop_condition Stop, class F>
requires detail::is_scope_function<F>
auto scope(const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&>;
template <stop_condition Stop, class F>
requires detail::is_scope_function<F>
auto scope(const Stop& stop, spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&>;
template <stop_condition Stop, class F>
requires detail::is_scope_function<F>
auto scope(pool& p, const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&>;

}  // namespace heist::inline v0

#include "heist/detail/scope_impl.hpp"
