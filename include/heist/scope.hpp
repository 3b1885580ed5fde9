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
#include "heist/detail/spawn_path.hpp"
#include "heist/detail/stopping.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

class task_scope;

namespace detail {

// A closure's type, for the library.
struct spawn_functions {
  child_function run_child;
  void (*call)(void* closure);  // moves it and calls it, as a function of the caller's
};

template <class F>
void run_child(void* closure, void* self, std::uint64_t place) noexcept {
  auto* const child = static_cast<fiber*>(self);
  const auto h = static_cast<wide_position>(place);
  try {
    F f(std::move(*static_cast<F*>(closure)));
    hot_path::publish(h);
    if (hot_path::asked(h)) [[unlikely]]
      fork_slow();
    std::move(f)();
  } catch (...) {
    if (!child_threw(child)) return;
  }
  if (!hot_path::take_private(h)) [[unlikely]]
    end_public(child);
  if (front_of(child).views != nullptr) [[unlikely]]
    give_views_back(child);
}

template <class F>
void call_spawned(void* closure) {
  F f(std::move(*static_cast<F*>(closure)));
  std::move(f)();
}

template <class F>
inline constexpr spawn_functions spawn_functions_of{&run_child<F>, &call_spawned<F>};

// Calls the closure, if so told, and deletes it.
using pushed_function = void (*)(void* closure, bool call);

template <class F>
void run_pushed(void* closure, bool call) {
  const std::unique_ptr<F> f(static_cast<F*>(closure));
  if (call) std::move (*f)();
}

// The owner of a scope on a thread outside any pool: nullptr, under HEIST_SERIAL anything else.
HEIST_API const void* scope_owner_outside() noexcept;

// What the scope's function runs on: the fiber.
inline const void* scope_owner() noexcept {
  const worker_front* const w = this_worker_front();
  return w != nullptr ? w->current.get() : scope_owner_outside();
}

// What a scope under a stop condition has besides.
struct scope_watch {
  const stop_poll stop;                   // asked before each child
  std::atomic<std::uint64_t> spawned{0};  // children
};

class scope_state {
 public:
  // What flags_ holds.
  static constexpr unsigned has_failed = 1;  // a child has thrown
  static constexpr unsigned stopped = 2;     // request_stop() was called
  static constexpr unsigned cut_off = 4;     // watch_ has left out a child
  static constexpr unsigned has_deposits = 8;
  static constexpr unsigned busy = 16;             // somebody holds what the lock guards
  static constexpr unsigned leaves_children = 32;  // they are pushed, whatever the pool does
  static constexpr unsigned has_pushed = 64;
  static constexpr unsigned watched = 128;  // watch_ is there

  scope_state(const void* owner, unsigned flags, scope_watch* watch) noexcept
      : owner_(owner), start_(hot_path::depth()), watch_(watch), flags_(flags) {}
  scope_state(const scope_state&) = delete;
  scope_state& operator=(const scope_state&) = delete;
  ~scope_state() {}  // sync() has seen to what is made late

  // Runs the closure as a child, if nothing about it is unusual.
  [[nodiscard, gnu::always_inline]] bool spawn_usual(child_function run, void* closure);
  // Runs it in any case, unless a child has thrown or a stop was requested. False: it is to be pushed.
  [[nodiscard]] HEIST_API bool spawn(const spawn_functions& functions, void* closure);
  // Pushes a child, unless one has thrown. The closure lies on the heap; the function destroys it.
  HEIST_API void push(pushed_function function, void* closure);

  // Returns when all children have ended. `thrown` is what the owner threw, or nullptr: goes on with the child's
  // exception that a serial run would have met first, else with `thrown`.
  void sync(void* thrown = nullptr) {
    // Acquire: partner is child_ended.
    const std::int64_t count = count_.load(std::memory_order_acquire);
    if ((count | flags_.load(std::memory_order_relaxed)) != 0 || thrown != nullptr) [[unlikely]]
      sync_slow(thrown);
  }

  // Relaxed, the flags: spawn() may hear of one late; sync() has its own order.
  void request_stop() noexcept { flags_.fetch_or(stopped, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_requested() const noexcept {
    return (flags_.load(std::memory_order_relaxed) & stopped) != 0 ||
           (watch_ != nullptr && watch_->stop.stop_requested());
  }
  [[nodiscard]] std::uint64_t skipped() const noexcept {
    return skipped_.load(std::memory_order_relaxed);
  }

  // ---- For spawn.cpp.
  struct pushed_child;
  class keeping;
  void keep(std::uint64_t key, std::exception_ptr exception) noexcept;
  void deposit(std::uint64_t key, view_node* views) noexcept;
  void one_more() noexcept;
  void one_less() noexcept;
  void child_ended() noexcept;

 private:
  // Writes the spawner's entry and what the child knows.
  [[gnu::always_inline]] void prepare(fiber* spawner, fiber* child, wide_position h);
  HEIST_API void sync_slow(void* thrown);
  void run_pushed();
  void merge_deposits() noexcept;
  [[nodiscard]] wide_position place_of(wide_position i) const noexcept {
    return start_ + i * static_cast<wide_position>(sizeof(job));
  }
  // Whether a stop was requested, and so one more is left out.
  bool skips(unsigned flags) noexcept;
  // Whether a child that comes now is left out; counts those that a stop concerns.
  bool leaves_out(unsigned flags) noexcept;
  // The same for a child that was pushed and not begun.
  bool leaves_out_pushed(std::uint64_t key) noexcept;
  // A spawn without a stack of its own.
  void call(const spawn_functions& functions, void* closure);

  // Added to count_ while the owner waits.
  static constexpr std::int64_t owner_waits = std::int64_t{1} << 62;

  const void* const owner_;    // see scope_owner
  const wide_position start_;  // the owner's depth
  // The owner's floating-point control words at its first spawn, as the image of a suspended context begins; 0: not known.
  // Storing MXCSR takes 16 cycles on a Zen 5, the x87 control word two: so a spawn stores the first one anew only if the
  // other one has changed, as it does with fesetround(), fesetenv() and feenableexcept().
  std::uint64_t float_modes_ = 0;
  std::uint64_t next_key_ = 0;  // the owner's
  wide_position pushed_ = 0;    // children on the deque, from start_ on
  scope_watch* const watch_;
  std::atomic<std::uint64_t> skipped_{0};  // children that a stop has left out
  // Children whose spawner was stolen and that haven't ended.
  std::atomic<std::int64_t> count_{0};
  std::atomic<unsigned> flags_;

  // Made late, each by who needs it first.
  struct first_thrown {
    std::uint64_t key;
    std::exception_ptr exception;
  };
  union {
    // While the owner waits. Settled by whoever brings count_ down.
    rendezvous state_;
  };
  union {
    // With has_failed: the child's exception that came first in the program. Guarded by busy.
    first_thrown first_;
  };
  union {
    // With has_deposits: reducers' views (src/runtime/views.hpp), the newest child's first. Guarded by busy.
    view_node* deposits_;
  };
};

// What lies in the slot of a spawner: the child's own record may be gone when a thief gets to it.
struct spawner_entry {
  fiber* spawner;
  scope_state* scope;
  fiber* array;
  position depth;
};
static_assert(sizeof(spawner_entry) <= job::payload_bytes);

// What a thief runs: goes on with a spawner.
HEIST_API void go_on_with_spawner(job& slot) noexcept;

// Children that others than the scope's own function spawned.
inline constexpr std::uint64_t foreign_key = ~std::uint64_t{0};

inline void scope_state::prepare(fiber* spawner, fiber* child, wide_position h) {
  const fiber_front& me = front_of(spawner);
  job& slot = hot_path::slot(h);
  slot.run = &go_on_with_spawner;
  ::new (static_cast<void*>(slot.payload))
      spawner_entry{spawner, this, me.array, static_cast<position>(h)};
  fiber_front& front = front_of(child);
  front.task.scope = this;
  front.task.key = spawner == owner_ ? next_key_++ : foreign_key;
  front.task.spawner = spawner;
  front.task.array = me.array;
  front.task.depth = static_cast<position>(h);
  front.array = me.array;
  front.from = static_cast<position>(h + sizeof(job));
}

inline bool scope_state::spawn_usual(child_function run, void* closure) {
  if (flags_.load(std::memory_order_relaxed) != 0) return false;
  worker_front* const w = this_worker_front();
  if (w == nullptr) return false;
  fiber* const child = w->spares;
  if (child == nullptr) return false;
  fiber* const spawner = w->current;
  fiber_front& me = front_of(spawner);
  // In a handler its exception has to be put aside, see fiber::exceptions.
  if (me.stalls || me.views != nullptr || w->exceptions->caught != nullptr ||
      w->exceptions->uncaught != 0)
    return false;
  // Nothing here is computed from what the spawn before has stored: loading that again takes as long as ten instructions.
  fiber_front& front = front_of(child);
  w->spares = front.next_spare;
  w->spare_count.store(front.older_spares, std::memory_order_relaxed);
  const wide_position h = hot_path::depth();
  prepare(spawner, child, h);
  w->current = child;
  if (heist_v0_context_call(closure, child, h, run, &me.sp, spawner == owner_ ? float_modes_ : 0) !=
      nullptr) [[unlikely]] {
    spawner_arrived(spawner);
    return true;
  }
  // Nobody else went on with it.
  if (float_modes_ == 0 && spawner == owner_) float_modes_ = image_begin(me.sp);
  // The worker can be another one, see end_public.
  worker_front* const now = this_worker_front();
  now->current = spawner;
  if (now->spares.get() != front.next_spare) [[unlikely]] {
    keep_spare(child);
    return true;
  }
  now->spares = child;
  now->spare_count.store(front.older_spares + 1, std::memory_order_relaxed);
  return true;
}

template <unsigned Flags, class F>
auto run_scope(scope_watch* watch, F&& f) -> std::invoke_result_t<F, task_scope&>;
template <class F>
auto run_scope_of(spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&>;
template <class F>
auto run_watched(const stop_poll& stop, spawn_kind kind, F&& f)
    -> std::invoke_result_t<F, task_scope&>;

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
  // Where the system has no stack for f, in a stalling pool, and under HEIST_SERIAL, it is a call. Costs three to
  // six forks (heist bench scope). May also be called from functions that the scope's own has forked or spawned.
  // Rounding and what else fesetenv() sets go with the caller to the other thread; what only MXCSR holds on x86 (flushing
  // denormals to zero) does if it is set before the scope's first spawn.
  template <class F>
  requires std::is_invocable_v<std::decay_t<F>>
  void spawn(F&& f) {
    std::decay_t<F> closure(std::forward<F>(f));
    if (!state_.spawn_usual(&detail::run_child<std::decay_t<F>>, &closure)) [[unlikely]]
      spawn_unusual(closure);
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
  template <unsigned Flags, class F>
  friend auto detail::run_scope(detail::scope_watch* watch, F&& f)
      -> std::invoke_result_t<F, task_scope&>;
  task_scope(const void* owner, unsigned flags, detail::scope_watch* watch) noexcept
      : state_(owner, flags, watch) {}

  template <class F>
  [[gnu::noinline, gnu::cold]] void spawn_unusual(F& closure) {
    if (state_.spawn(detail::spawn_functions_of<F>, &closure)) return;
    auto pushed = std::make_unique<F>(std::move(closure));
    state_.push(&detail::run_pushed<F>, pushed.get());
    pushed.release();
  }

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
  return detail::run_scope<0>(nullptr, std::forward<F>(f));
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
  return detail::run_scope_of(kind, std::forward<F>(f));
}

// The same under a stop condition (<heist/cancellation.hpp>), which is asked before each child: f is called, children
// are left out from the stop on, and if any was, sync() or the scope throws cancelled in the end, which counts children; an
// exception of theirs, or of f, goes before it. Costs an atomic operation a spawn more.
template <stop_condition Stop, class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_watched(detail::stop_poll(stop), spawn_kind::continuation, std::forward<F>(f));
}
template <stop_condition Stop, class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(const Stop& stop, spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_watched(detail::stop_poll(stop), kind, std::forward<F>(f));
}
template <stop_condition Stop, class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(pool& p, const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return p.run([&]() -> decltype(auto) { return scope(stop, std::forward<F>(f)); });
}

template <unsigned Flags, class F>
auto detail::run_scope(scope_watch* watch, F&& f) -> std::invoke_result_t<F, task_scope&> {
  using result = std::invoke_result_t<F, task_scope&>;
  const void* const owner = scope_owner();
  if (owner == nullptr) [[unlikely]] {
    return run_in(nullptr, [watch, &f]() -> decltype(auto) {
      return run_scope<Flags>(watch, std::forward<F>(f));
    });
  }
  task_scope s(owner, Flags, watch);
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

template <class F>
auto detail::run_scope_of(spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  if (kind == spawn_kind::child)
    return run_scope<scope_state::leaves_children>(nullptr, std::forward<F>(f));
  return run_scope<0>(nullptr, std::forward<F>(f));
}

template <class F>
auto detail::run_watched(const stop_poll& stop, spawn_kind kind, F&& f)
    -> std::invoke_result_t<F, task_scope&> {
  constexpr unsigned flags = scope_state::watched;
  scope_watch watch{stop};
  if (kind == spawn_kind::child)
    return run_scope<flags | scope_state::leaves_children>(&watch, std::forward<F>(f));
  return run_scope<flags>(&watch, std::forward<F>(f));
}

}  // namespace heist::inline v0
