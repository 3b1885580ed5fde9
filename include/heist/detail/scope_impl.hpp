// The machinery of <heist/scope.hpp>: how a child runs, the inlined spawn, and the frame of a
// scope.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"
#include "heist/detail/pushed_child.hpp"
#include "heist/detail/race.hpp"
#include "heist/detail/root.hpp"
#include "heist/detail/scope_state.hpp"
#include "heist/detail/spawn_path.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"
#include "heist/scope.hpp"

namespace heist::inline v0 {

namespace detail {

// Runs a child on its own stack: see child_function.
template <class F>
void run_child(void* closure, void* /*self*/, std::uint64_t place) noexcept {
  const auto h = static_cast<wide_position>(place);
  try {
    F f(std::move(*static_cast<F*>(closure)));
    hot_path::publish(h);
    if (hot_path::asked(h)) [[unlikely]]
      fork_slow();
    std::move(f)();
  } catch (...) {
    if (!child_threw(h)) return;
  }
  if (!hot_path::take_private(h)) [[unlikely]]
    end_public();
}

template <class F>
void call_spawned(void* closure) {
  F f(std::move(*static_cast<F*>(closure)));
  std::move(f)();
}

// A child in the pool's queue (scope_state::begin_later).
struct late_child : family_root {
  late_child(function f, root_family& late) noexcept : family_root(f, &late) {}
  scope_state* scope = nullptr;
  std::uint64_t key = 0;
};

template <class F>
struct late_child_of final : late_child {
  late_child_of(F& closure, root_family& late)
      : late_child(&run_and_free, late), closure_(std::move(closure)) {}

 private:
  static void run_and_free(root& self) noexcept {
    std::unique_ptr<late_child_of> me(static_cast<late_child_of*>(&self));
    scope_state& of = *me->scope;
    const std::uint64_t place = me->key;
    try {
      if (!of.skip_pushed(place)) {
        F f(std::move(me->closure_));
        me.reset();
        std::move(f)();
      }
      me.reset();
    } catch (...) {
      me.reset();
      of.pushed_threw(place);
    }
    of.late_child_ended(place);
  }

  F closure_;
};

template <class F>
late_child* keep_spawned(void* closure, root_family& late) {
  return new (std::nothrow) late_child_of<F>(*static_cast<F*>(closure), late);
}

template <class F>
inline constexpr spawn_functions spawn_functions_of{&run_child<F>, &call_spawned<F>,
                                                    &keep_spawned<F>};

template <class F>
[[gnu::noinline, gnu::cold]] void scope_state::push_unusual(wide_position h) {
  if (push_slow(h)) return;
  job& slot = hot_path::slot(h);
  slot.run = nullptr;  // D1 in src/runtime/core/fork_deque.hpp
  F& there = *std::launder(reinterpret_cast<F*>(pushed_child::of(slot).closure));
  F closure(std::move(there));
  there.~F();
  run_refused(spawn_functions_of<F>, &closure);
}

// The owner of a scope on a thread outside any pool: nullptr; under HEIST_SERIAL any other value.
HEIST_API const void* scope_owner_outside() noexcept;

// The fiber on which the scope's function runs, of that worker or, if it is nullptr, none.
inline const void* scope_owner(const worker_front* w) noexcept {
  return w != nullptr ? w->current.get() : scope_owner_outside();
}

// As long as a scope is open, nothing is popped that its fiber had left on the deque before
// (src/tasks/left_work.hpp).
class scope_floor {
 public:
  explicit scope_floor(const worker_front* w) noexcept
      : left_(w == nullptr ? nullptr : front_of(w->current).left) {
    if (left_ != nullptr) [[unlikely]]
      raise();
  }
  ~scope_floor() {
    if (left_ != nullptr) [[unlikely]]
      lower();
  }
  scope_floor(const scope_floor&) = delete;
  scope_floor& operator=(const scope_floor&) = delete;

 private:
  HEIST_API void raise() noexcept;
  HEIST_API void lower() noexcept;

  left_work* const left_;
  position before_;  // set by raise()
};

// The payload of a spawner's slot. It repeats what the child's own record holds, which may be gone
// when a thief reads the slot. The slot lies in the array that the spawner uses.
struct spawner_entry {
  fiber* spawner;
  scope_state* scope;
};
static_assert(sizeof(spawner_entry) <= job::payload_bytes);

// What a thief of a spawner's entry runs: continues the spawner.
HEIST_API void resume_spawner(job& slot) noexcept;

inline void scope_state::prepare(fiber* spawner, fiber* child, wide_position h) {
  const fiber_front& me = front_of(spawner);
  job& slot = hot_path::slot(h);
  slot.run = &resume_spawner;
  ::new (static_cast<void*>(slot.payload)) spawner_entry{spawner, this};
  fiber_front& front = front_of(child);
  front.task.scope = this;
  front.task.key = next_key_.load(std::memory_order_relaxed);
  front.task.spawner = spawner;
  front.task.array = me.array;
  front.array = me.array;
  front.from = static_cast<position>(h);
}

inline bool scope_state::spawn_usual(child_function run, void* closure) {
  worker_front* const w = this_worker_front();
  if (w == nullptr) return false;
  fiber* const child = w->spares;
  if (child == nullptr) return false;
  fiber* const spawner = w->current;
  fiber_front& me = front_of(spawner);
  // Inside a handler the spawner's caught exception must be put aside first, see fiber::exceptions.
  if ((me.stalls | reinterpret_cast<std::uintptr_t>(me.views) |
       reinterpret_cast<std::uintptr_t>(w->exceptions->caught) | w->exceptions->uncaught) != 0)
    return false;
  // Nothing here is computed from what the previous spawn has stored: loading that again takes as
  // long as ten instructions.
  fiber_front& front = front_of(child);
  w->spares = front.next_spare;
  const wide_position h = hot_path::depth();
  prepare(spawner, child, h);
  w->current = child;
  if (heist_v0_context_call(closure, child, h, run, &me.sp, spawner == owner_ ? float_modes_ : 0) !=
      nullptr) [[unlikely]] {
    spawner_arrived(spawner);
    return true;
  }
  // The spawner's entry was not stolen.
  if (float_modes_ == 0 && spawner == owner_) float_modes_ = image_begin(me.sp);
  // The worker may be another one now, see end_public.
  worker_front* const now = this_worker_front();
  now->current = spawner;
  if (front.views != nullptr) [[unlikely]]
    give_views_back(child);
  if (now->spares.get() == front.next_spare) [[likely]]
    now->spares = child;
  else
    keep_spare(child);
  return true;
}

template <unsigned Flags, class F>
auto run_scope(scope_watch* watch, F&& f) -> std::invoke_result_t<F, task_scope&> {
  using result = std::invoke_result_t<F, task_scope&>;
  const worker_front* const w = this_worker_front();
  const void* const owner = scope_owner(w);
  if (owner == nullptr) [[unlikely]] {
    return run_in(nullptr, [watch, &f]() -> decltype(auto) {
      return run_scope<Flags>(watch, std::forward<F>(f));
    });
  }
  const scope_floor floor(w);
  task_scope s(owner, Flags, watch);
  std::optional<stored_result<result>> made;
  void* thrown = nullptr;
  try {
    made.emplace(invoke_stored<result>([&]() -> decltype(auto) { return std::forward<F>(f)(s); }));
  } catch (...) {
    thrown = release_current_exception();
  }
  [[maybe_unused]] const race::joined_at_end all(&s);
  s.state_.template sync<Flags>(thrown);
  if constexpr (std::is_void_v<result>)
    return;
  else if constexpr (std::is_reference_v<result>)
    return static_cast<result>(**made);
  else
    return std::move(*made);
}

template <class F>
auto run_scope_of(spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  if (kind == spawn_kind::child)
    return run_scope<scope_state::pushes_children>(nullptr, std::forward<F>(f));
  return run_scope<0>(nullptr, std::forward<F>(f));
}

template <class F>
auto run_watched(const stop_poll& stop, spawn_kind kind, F&& f)
    -> std::invoke_result_t<F, task_scope&> {
  constexpr unsigned flags = scope_state::watched;
  scope_watch watch{stop};
  if (kind == spawn_kind::child)
    return run_scope<flags | scope_state::pushes_children>(&watch, std::forward<F>(f));
  return run_scope<flags>(&watch, std::forward<F>(f));
}

}  // namespace detail

template <class F>
requires detail::can_be_spawned<F>
inline void task_scope::spawn(F&& f) {
#if HEIST_RACE
  using closure_type = detail::race::task_of<std::decay_t<F>>;
  closure_type closure{this, detail::race::kind::spawn, detail::race::here(), std::forward<F>(f)};
#else
  using closure_type = std::decay_t<F>;
  closure_type closure(std::forward<F>(f));
#endif
  const unsigned flags = state_.flags();
  if (flags == 0) {
    if (state_.spawn_usual(&detail::run_child<closure_type>, &closure)) return;
  } else if constexpr (detail::pushed_in_slot<closure_type>) {
    if ((flags & ~detail::scope_state::flags_of_pushes) == 0 && state_.push_usual(closure)) return;
  }
  spawn_unusual(closure);
}

template <class F>
[[gnu::noinline, gnu::cold]] inline void task_scope::spawn_unusual(F& closure) {
  if (state_.spawn(detail::spawn_functions_of<F>, &closure)) return;
  if constexpr (detail::pushed_in_slot<F>) {
    state_.push(closure, detail::hot_path::depth());
  } else {
    detail::closure_on_heap<F> there(closure);
    state_.push(there, detail::hot_path::depth());
  }
}

template <class F>
requires detail::is_scope_function<F>
auto scope(F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope<0>(nullptr, std::forward<F>(f));
}

template <class F>
requires detail::is_scope_function<F>
auto scope(pool& p, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return p.run([&]() -> decltype(auto) { return scope(std::forward<F>(f)); });
}

template <class F>
requires detail::is_scope_function<F>
auto scope(spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope_of(kind, std::forward<F>(f));
}

template <stop_condition Stop, class F>
requires detail::is_scope_function<F>
auto scope(const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_watched(detail::stop_poll(stop), spawn_kind::continuation, std::forward<F>(f));
}
template <stop_condition Stop, class F>
requires detail::is_scope_function<F>
auto scope(const Stop& stop, spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_watched(detail::stop_poll(stop), kind, std::forward<F>(f));
}
template <stop_condition Stop, class F>
requires detail::is_scope_function<F>
auto scope(pool& p, const Stop& stop, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return p.run([&]() -> decltype(auto) { return scope(stop, std::forward<F>(f)); });
}

namespace detail {

template <class Option>
inline constexpr bool is_scope_option =
    std::is_same_v<Option, pool&> || std::is_same_v<std::remove_cvref_t<Option>, spawn_kind> ||
    stop_condition<std::remove_cvref_t<Option>>;

// Why scope can't be called so; the function is last.
template <class F>
consteval refusal why_no_scope() {
  return why_no_scope_function<F>();
}
template <class First, class Second, class... Others>
consteval refusal why_no_scope() {
  if constexpr (constexpr refusal why = why_no_scope<Second, Others...>(); why != refusal::none)
    return why;
  else if constexpr (asks_for_stop<First> && !stop_condition<std::remove_cvref_t<First>>)
    return refusal::stop_unsuitable;
  else
    return is_scope_option<First> ? refusal::none : refusal::before_function;
}

}  // namespace detail

template <class First, class... Others>
requires(detail::why_no_scope<First, Others...>() != detail::refusal::none)
detail::refused scope(First&&, Others&&...) {
  detail::say<detail::why_no_scope<First, Others...>()>();
  return {};
}

}  // namespace heist::inline v0
