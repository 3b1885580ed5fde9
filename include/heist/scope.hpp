// scope(f): f spawns any number of functions, which may run at the same time, and all have ended when it returns.
//
//     heist::scope([&](heist::task_scope& s) {
//       for (node* n = first; n != nullptr; n = n->next) s.spawn([n] { visit(*n); });
//     });
//
// A spawned function begins at once, as a call would, and what other workers take is the rest of the
// spawner. So one worker runs everything in the order of the program, a loop of a million spawns keeps one entry
// on the deque, and stack space stays within that of a serial run times the number of workers.
//
// Source: spawn and sync with child first, parent's rest stealable: Blumofe and Leiserson, 1999, section 4.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

class task_scope;

namespace detail {

// Calls the closure, which it first moves to where it runs. `place`: the position of the spawner's entry, whose
// slot is filled: it is pushed in between, and can be stolen from then on. no_entry: an ordinary call.
using spawn_body = void (*)(void* closure, wide_position place);
inline constexpr wide_position no_entry = ~wide_position{0};
inline constexpr wide_position discard = no_entry - 1;

template <class F>
void run_spawn_body(void* closure, wide_position place) {
  F f(std::move(*static_cast<F*>(closure)));
  if (place != no_entry) {
    hot_path::publish(place);
    if (hot_path::asked(place)) [[unlikely]]
      fork_slow();
  }
  std::move(f)();
}

// The same for a closure on the heap, which it deletes. `place` is discard: without calling it.
template <class F>
void run_pushed_body(void* closure, wide_position place) {
  const std::unique_ptr<F> f(static_cast<F*>(closure));
  if (place != discard) std::move (*f)();
}

// What the scope's function runs on, from the library's point of view; nullptr outside any pool. Under
// HEIST_SERIAL anything else than nullptr.
HEIST_API const void* scope_owner() noexcept;

struct view_node;

class scope_state {
 public:
  scope_state(const void* owner, bool children, stop_poll stop) noexcept
      : owner_(owner), start_(hot_path::depth()), children_(children), stop_(stop) {
    if (stop.is_there()) flags_.store(watched, std::memory_order_relaxed);
  }
  scope_state(const scope_state&) = delete;
  scope_state& operator=(const scope_state&) = delete;

  // Runs the closure, unless a child has thrown or a stop was requested. False: it is to be pushed as a child.
  [[nodiscard]] HEIST_API bool spawn(spawn_body body, void* closure);

  // Pushes a child, unless one has thrown. The closure lies on the heap; body destroys it.
  HEIST_API void push(spawn_body body, void* closure);

  // Returns when all children have ended. `thrown` is what the owner threw, or nullptr: goes on with the child's
  // exception that a serial run would have met first, else with `thrown`.
  void sync(void* thrown = nullptr) {
    // Acquire: partner is child_ended.
    if (count_.load(std::memory_order_acquire) != owner_part || pushed_ != 0 || thrown != nullptr ||
        flags_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      sync_slow(thrown);
  }

  // Relaxed, the flags: spawn() may hear of one late; sync() has its own order.
  void request_stop() noexcept { flags_.fetch_or(stopped, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_requested() const noexcept {
    return (flags_.load(std::memory_order_relaxed) & stopped) != 0 || stop_.stop_requested();
  }
  [[nodiscard]] std::uint64_t skipped() const noexcept {
    return skipped_.load(std::memory_order_relaxed);
  }

  // ---- For spawn.cpp.
  struct pushed_child;
  class keeping;
  [[nodiscard]] bool failed() const noexcept {
    return (flags_.load(std::memory_order_relaxed) & has_failed) != 0;
  }
  void keep(std::uint64_t key, std::exception_ptr exception) noexcept;
  void deposit(std::uint64_t key, view_node* views) noexcept;
  void one_more() noexcept;
  void one_less() noexcept;
  void child_ended() noexcept;

 private:
  HEIST_API void sync_slow(void* thrown);
  void run_pushed();
  void merge_deposits() noexcept;
  [[nodiscard]] wide_position place_of(wide_position i) const noexcept {
    return start_ + i * static_cast<wide_position>(sizeof(job));
  }
  // Whether a serial run would have met an exception of that child before those that there are.
  bool comes_first(std::uint64_t key) noexcept;
  // Whether a stop was requested, and so one more is left out.
  bool skips(unsigned flags) noexcept;
  // Whether a child that comes now is left out; counts those that a stop concerns.
  bool leaves_out() noexcept;
  // The same for a child that was pushed and not begun.
  bool leaves_out_pushed(std::uint64_t key) noexcept;
  // A spawn without a stack of its own.
  void call(spawn_body body, void* closure);

  // What flags_ holds.
  static constexpr unsigned has_failed = 1;  // a child has thrown
  static constexpr unsigned stopped = 2;     // request_stop() was called
  static constexpr unsigned watched = 4;     // stop_ is there
  static constexpr unsigned cut_off = 8;     // and has left out a child
  static constexpr unsigned has_deposits = 16;

  // The owner's part in count_.
  static constexpr std::int64_t owner_part = std::int64_t{1} << 62;

  const void* const owner_;     // see scope_owner
  const wide_position start_;   // the owner's depth
  std::uint64_t next_key_ = 0;  // the owner's
  wide_position pushed_ = 0;    // children on the deque, from start_ on
  const bool children_;         // whether they are pushed, whatever the pool does
  const stop_poll stop_;        // asked before each child
  std::atomic<unsigned> flags_{0};
  std::atomic<std::uint64_t> spawned_{0};  // children, if stop_ is there
  std::atomic<std::uint64_t> skipped_{0};  // of those, or of all, that a stop has left out
  // Children whose spawner was stolen and that haven't ended; and the owner's part, but for while it waits.
  std::atomic<std::int64_t> count_{owner_part};
  std::atomic<std::uintptr_t> state_{job::pending};  // settled by whoever brings count_ to 0

  // The child's exception that came first in the program.
  std::atomic<bool> keeping_{false};  // guards the next two
  std::uint64_t first_key_ = 0;
  std::exception_ptr first_thrown_;

  // Reducers' views (src/runtime/views.hpp), the newest child's first. Guarded by keeping_.
  struct deposited;
  deposited* deposits_ = nullptr;
};

template <class F>
auto run_scope(bool children, stop_poll stop, F&& f) -> std::invoke_result_t<F, task_scope&>;

}  // namespace detail

// What scope() hands to its function.
class task_scope {
 public:
  task_scope(const task_scope&) = delete;
  task_scope& operator=(const task_scope&) = delete;

  // Runs f() at once, while another worker may go on with the caller. f is moved or copied to where it runs, and
  // destroyed when it has run. After spawn the thread may be another one, as after fork_join. Never
  // throws what f throws (see scope), only what copying f to the argument throws.
  //
  // Where the system has no stack for f, in a stalling pool, and under HEIST_SERIAL, it is a call. Costs five to
  // ten forks (heist bench scope). May also be called from functions that the scope's own has forked or spawned.
  template <class F>
  requires std::is_invocable_v<std::decay_t<F>>
  void spawn(F&& f) {
    std::decay_t<F> closure(std::forward<F>(f));
    if (!state_.spawn(&detail::run_spawn_body<std::decay_t<F>>, &closure)) {
      auto pushed = std::make_unique<std::decay_t<F>>(std::move(closure));
      state_.push(&detail::run_pushed_body<std::decay_t<F>>, pushed.get());
      pushed.release();
    }
  }

  // Returns when everything spawned so far has ended; throws what of it threw. Only in the scope's own function.
  void sync() { state_.sync(); }

  // From now on spawn() does nothing, and children that were pushed but not begun are left out; those that run may ask
  // stop_requested(), and hand the scope on: it is a stop_condition. Nothing is thrown for it. By anybody, at any time
  // before the scope's end.
  void request_stop() noexcept { state_.request_stop(); }
  // Also true if the stop condition that the scope was given says so.
  [[nodiscard]] bool stop_requested() const noexcept { return state_.stop_requested(); }
  // How many children were left out so far, by request_stop() or by the stop condition.
  [[nodiscard]] std::uint64_t skipped() const noexcept { return state_.skipped(); }

 private:
  template <class F>
  friend auto detail::run_scope(bool children, detail::stop_poll stop, F&& f)
      -> std::invoke_result_t<F, task_scope&>;
  task_scope(const void* owner, bool children, detail::stop_poll stop) noexcept
      : state_(owner, children, stop) {}

  detail::scope_state state_;
};

// Calls f(s), waits until all that was spawned into s has ended, and returns what f returned.
//
// If spawned functions throw, the exception of the one that was spawned first is thrown by sync() or in the end, as a
// serial run would; those spawned by the scope's own function come before those that others spawned into it. From the
// first exception on, spawn() does nothing. If none of them throws but f does, that exception goes on.
// By then everything that was started has ended.
// Thread-safe, from any thread: outside any pool it runs in the default pool (usage_error or resource_error
// if that can't be made).
template <class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope(false, {}, std::forward<F>(f));
}

// The same in a pool of one's own.
template <class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(pool& p, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return p.run([&]() -> decltype(auto) { return scope(std::forward<F>(f)); });
}

// The same with spawn_kind::child, to compare the two, or for children that must not overtake the spawner: spawn
// moves the closure to the heap and leaves it on the deque; sync runs what nobody took, newest first. Only the
// scope's own function can leave children so, outside of any fork_join in it; elsewhere, and when the deque is full
// (pool_config::fork_depth), spawn is a call. If several throw, the rules are the same.
// spawn_kind::continuation: what the pool does.
template <class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope(kind == spawn_kind::child, {}, std::forward<F>(f));
}

// The same under a stop condition (<heist/cancellation.hpp>), which is asked before each child: f is called, children
// are left out from the stop on, and if any was, sync() or the scope throws cancelled in the end, which counts children; an
// exception of theirs, or of f, goes before it. Costs an atomic operation a spawn more.
template <stop_condition Stop, class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope(false, detail::stop_poll(stop), std::forward<F>(f));
}
template <stop_condition Stop, class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(const Stop& stop, spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope(kind == spawn_kind::child, detail::stop_poll(stop), std::forward<F>(f));
}
template <stop_condition Stop, class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(pool& p, const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return p.run([&]() -> decltype(auto) { return scope(stop, std::forward<F>(f)); });
}

template <class F>
auto detail::run_scope(bool children, stop_poll stop, F&& f)
    -> std::invoke_result_t<F, task_scope&> {
  using result = std::invoke_result_t<F, task_scope&>;
  const void* const owner = scope_owner();
  if (owner == nullptr) {
    return run_in(
        nullptr, [&]() -> decltype(auto) { return run_scope(children, stop, std::forward<F>(f)); });
  }
  task_scope s(owner, children, stop);
  std::optional<stored_result<result>> made;
  void* thrown = nullptr;
  try {
    made.emplace(invoke_stored<result>([&]() -> decltype(auto) { return std::forward<F>(f)(s); }));
  } catch (...) {
    thrown = release_current_exception();
  }
  s.state_.sync(thrown);
  if constexpr (std::is_void_v<result>)
    return;
  else if constexpr (std::is_reference_v<result>)
    return static_cast<result>(**made);
  else
    return std::move(*made);
}

}  // namespace heist::inline v0
