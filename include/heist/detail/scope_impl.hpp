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

template <class F>
void run_pushed(void* closure, bool call) {
  const std::unique_ptr<F> f(static_cast<F*>(closure));
  if (call) std::move (*f)();
}

// The owner of a scope on a thread outside any pool: nullptr; under HEIST_SERIAL any other value.
HEIST_API const void* scope_owner_outside() noexcept;

// The fiber on which the scope's function runs.
inline const void* scope_owner() noexcept {
  const worker_front* const w = this_worker_front();
  return w != nullptr ? w->current.get() : scope_owner_outside();
}

// The payload of a spawner's slot. It repeats what the child's own record holds, which may be gone
// when a thief reads the slot.
struct spawner_entry {
  fiber* spawner;
  scope_state* scope;
  fiber* array;
  position depth;
};
static_assert(sizeof(spawner_entry) <= job::payload_bytes);

// What a thief of a spawner's entry runs: continues the spawner.
HEIST_API void resume_spawner(job& slot) noexcept;

// The key of the children that were spawned by others than the scope's own function.
inline constexpr std::uint64_t foreign_key = ~std::uint64_t{0};

inline void scope_state::prepare(fiber* spawner, fiber* child, wide_position h) {
  const fiber_front& me = front_of(spawner);
  job& slot = hot_path::slot(h);
  slot.run = &resume_spawner;
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
  // Inside a handler the spawner's caught exception must be put aside first, see fiber::exceptions.
  if (me.stalls || me.views != nullptr || w->exceptions->caught != nullptr ||
      w->exceptions->uncaught != 0)
    return false;
  // Nothing here is computed from what the previous spawn has stored: loading that again takes as
  // long as ten instructions.
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
  // The spawner's entry was not stolen.
  if (float_modes_ == 0 && spawner == owner_) float_modes_ = image_begin(me.sp);
  // The worker may be another one now, see end_public.
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
auto run_scope(scope_watch* watch, F&& f) -> std::invoke_result_t<F, task_scope&> {
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
requires std::is_invocable_v<std::decay_t<F>>
inline void task_scope::spawn(F&& f) {
  std::decay_t<F> closure(std::forward<F>(f));
  if (!state_.spawn_usual(&detail::run_child<std::decay_t<F>>, &closure)) [[unlikely]]
    spawn_unusual(closure);
}

template <class F>
[[gnu::noinline, gnu::cold]] inline void task_scope::spawn_unusual(F& closure) {
  if (state_.spawn(detail::spawn_functions_of<F>, &closure)) return;
  auto pushed = std::make_unique<F>(std::move(closure));
  state_.push(&detail::run_pushed<F>, pushed.get());
  pushed.release();
}

template <class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope<0>(nullptr, std::forward<F>(f));
}

template <class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(pool& p, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return p.run([&]() -> decltype(auto) { return scope(std::forward<F>(f)); });
}

template <class F>
requires std::is_invocable_v<F, task_scope&>
auto scope(spawn_kind kind, F&& f) -> std::invoke_result_t<F, task_scope&> {
  return detail::run_scope_of(kind, std::forward<F>(f));
}

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

}  // namespace heist::inline v0
