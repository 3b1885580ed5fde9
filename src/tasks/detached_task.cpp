// Detached tasks, on the deque that forks use.
//
// Invariants.
//   D1  A drain runs a task, and what that has started as far as no thief takes it: what it leaves
//       on the deque it takes back before it ends, so nothing lies there that nobody joins.
//   D2  A drain counts as unfinished in its pool. A thief counts its own before it completes the
//       entry, and the drain whose entry it was joins that before it ends: the count is 0 only when
//       no task is left.
#include "heist/detached_task.hpp"

#include <type_traits>
#include <utility>

#include "heist/detail/measured.hpp"
#include "heist/pool.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/notes.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/awaited_calls.hpp"
#include "runtime/work/views.hpp"
#include "tasks/detached_drain.hpp"
#include "tasks/fiber_scoped.hpp"
#include "tasks/left_work.hpp"

namespace heist::inline v0 {

namespace detail {

struct detached_access {
  static void call(detached_task& t) noexcept { t.function_(t); }
  static const root_family* family_of(const detached_task& t) noexcept { return t.family; }
  static void start(pool_impl* p, detached_task& t) {
    t.region = 0;  // that of the last time
    start_root(p, t);
  }
  static void start_here(pool_impl* p, detached_task& t, const void* from);
  static pool_impl* inside(pool& p) noexcept { return p.impl_.get(); }
};

// Runs tasks on a fiber.
class detached_drain : public fiber_scoped<detached_drain, &fiber::drain> {
 public:
  explicit detached_drain(fiber& here) noexcept : fiber_scoped(&here), left_(&here) {}

  void run(detached_task* t) noexcept {
    const views_refused in_no_order;
    for (unsigned done = 1; t != nullptr; ++done) {
      detached_access::call(*t);
      t = next();
      if (done % tasks_between_looks == 0 && t != nullptr && somebody_waits(done))
        t = hand_over_all(*t);
    }
  }

  // For the one that waits for the task's family: nothing else may run on top of the waiter, or it
  // might wait for what the waiter does next. So the rest of what the task leaves goes to the pool.
  void run_awaited(detached_task& t) noexcept {
    const views_refused in_no_order;
    const root_family& family = *detached_access::family_of(t);
    detached_access::call(t);
    if (run_newest_left_of(family))
      if (detached_task* const other = next()) hand_over_all(*other);
  }

  // For the task that runs, which may_pop(): as the function of that name.
  [[nodiscard]] bool run_newest_left_of(const root_family& family) noexcept {
    while (detached_task* const t = next_of(family)) {
      if (!may_call_awaited(self_worker(), awaited_in::deque)) {
        hand_over_all(*t);
        return false;
      }
      detached_access::call(*t);
    }
    return true;
  }
  [[nodiscard]] bool may_pop(const worker& w) const noexcept { return left_.may_pop(&w); }

  // False: only the task that runs can leave something on the deque, and it may be full.
  [[nodiscard]] bool push(worker& w, detached_task& t) noexcept {
    return left_.is_here(&w) && left_.push<entry>(w, &run_stolen, &t);
  }

 private:
  // So often it makes room for what comes from outside.
  static constexpr unsigned tasks_between_looks = 64;

  struct entry {
    detached_task* task;
  };

  detached_task* next() noexcept {
    while (!left_.empty())
      if (const entry* const newest = left_.pop<entry>()) return newest->task;
    return nullptr;
  }

  detached_task* next_of(const root_family& family) noexcept {
    entry e{};
    const auto look = [&](const entry& newest) {
      e = newest;
      return detached_access::family_of(*newest.task) != &family;
    };
    while (!left_.empty()) {
      worker& w = *worker_here();
      const left_work::popped popped = left_.pop_private<entry>(w, look);
      if (popped == left_work::popped::all) return e.task;
      if (popped == left_work::popped::part) return nullptr;
      const entry* const found = left_.pop<entry>();
      if (found == nullptr) continue;
      e = *found;
      if (detached_access::family_of(*e.task) == &family) return e.task;
      if (!push(*worker_here(), *e.task)) detached_access::start(nullptr, *e.task);
      return nullptr;
    }
    return nullptr;
  }

  // At the pool's entry. Other workers' lanes are looked at less often: their own take from those.
  static bool somebody_waits(unsigned done) noexcept {
    const worker& w = self_worker();
    injection_queue& entry = w.pool.injection();
    return done % (16 * tasks_between_looks) == 0 ? !entry.empty() : entry.has_for(w.entry);
  }

  // To the pool's queue, behind what waits there. Starting on a worker throws nothing.
  std::nullptr_t hand_over_all(detached_task& first) noexcept {
    for (detached_task* t = &first; t != nullptr; t = next()) detached_access::start(nullptr, *t);
    return nullptr;
  }

  static void run_stolen(job& j) noexcept {
    detached_task* const t = left_work::item_in<entry>(j).task;
    pool_impl& pool = self_worker().pool;
    pool.note_started();  // D2
    j.views = nullptr;
    left_work::settle_at_once(j);
    detached_drain(*fiber_here()).run(t);
    pool.note_finished();
  }

  left_work left_;
};

void detached_access::start_here(pool_impl* p, detached_task& t, const void* from) {
  if (notes::looks_for_races() && family_of(t) == nullptr) {
    const notes::branch of(p, race::kind::task, from);  // the end of the pool joins it
    return start(p, t);
  }
  worker* const w = worker_here();
  if (w != nullptr && !w->alone && (p == nullptr || p == &w->pool) && !measures_work()) {
    detached_drain* const drain = w->current.get()->drain;
    if (drain != nullptr && drain->push(*w, t)) return;
  }
  start(p, t);
}

bool run_newest_left_of(const root_family& family) noexcept {
  worker* const w = worker_here();
  if (w == nullptr || measures_work()) return true;
  detached_drain* const drain = w->current.get()->drain;
  if (drain == nullptr || !drain->may_pop(*w)) return true;
  const exceptions_put_aside of_the_caller(*w);
  return drain->run_newest_left_of(family);
}

}  // namespace detail

void detached_task::begin(detail::root& self) noexcept {
  auto& t = static_cast<detached_task&>(self);
  const detail::worker* const w = detail::worker_here();
  if (w == nullptr || w->alone) return detail::detached_access::call(t);
  detail::fiber& here = *detail::fiber_here();
  detail::detached_drain drain(here);
  if (std::exchange(here.calls_awaited, false))
    drain.run_awaited(t);
  else
    drain.run(&t);
}

void start_detached(detached_task& t) {
  detail::detached_access::start_here(nullptr, t, __builtin_return_address(0));
}

void start_detached(pool& p, detached_task& t) {
  detail::detached_access::start_here(detail::detached_access::inside(p), t,
                                      __builtin_return_address(0));
}

}  // namespace heist::inline v0
