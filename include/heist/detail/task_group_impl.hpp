// The machinery of <heist/task_group.hpp>: a detached task that holds the closure.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "heist/detached_task.hpp"
#include "heist/detail/race.hpp"
#include "heist/task_group.hpp"

namespace heist::inline v0 {

namespace detail {

// One run(). It is on the heap and frees itself before it counts as ended.
struct group_task : detached_task {
  using function = void (*)(group_task&);

  group_task(task_group& g, function call_it, function drop_it) noexcept
      : detached_task(&begin, &g.waiting_), group(g), call(call_it), drop(drop_it) {}

  task_group& group;
  function const call;  // calls the closure and frees the task, also if the closure throws
  function const drop;  // frees the task

 private:
  HEIST_API static void begin(detached_task& self) noexcept;
};

template <class F>
struct group_closure final : group_task {
  template <class G>
  group_closure(task_group& g, G&& f)
      : group_task(g, &call_closure, &drop_closure), closure(std::forward<G>(f)) {}

  static void call_closure(group_task& t) {
    const std::unique_ptr<group_closure> self(static_cast<group_closure*>(&t));
    static_cast<void>(std::move(self->closure)());
  }
  static void drop_closure(group_task& t) { delete static_cast<group_closure*>(&t); }

  F closure;
};

}  // namespace detail

template <class F>
requires detail::can_be_spawned<F>
void task_group::run(F&& f) {
#if HEIST_RACE
  using detail::race::task_of;
  task_of<std::decay_t<F>> branch{this, detail::race::kind::task, detail::race::here(),
                                  std::forward<F>(f)};
  start(*new detail::group_closure<task_of<std::decay_t<F>>>(*this, std::move(branch)));
#else
  start(*new detail::group_closure<std::decay_t<F>>(*this, std::forward<F>(f)));
#endif
}

template <class F>
requires detail::can_be_called<F>
std::uint64_t task_group::run_and_wait(F&& f) {
  auto call = [&f] { static_cast<void>(std::forward<F>(f)()); };
  return call_and_wait([](void* c) { (*static_cast<decltype(call)*>(c))(); }, &call);
}

}  // namespace heist::inline v0
