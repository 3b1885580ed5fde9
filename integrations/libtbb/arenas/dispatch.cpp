#include "arenas/dispatch.hpp"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "arenas/arena.hpp"
#include "arenas/contexts.hpp"
#include "arenas/task_stack.hpp"
#include "parts/float_word.hpp"
#include "parts/parking.hpp"
#include "platform/cpu.hpp"

namespace heist::inline v0::libtbb {

namespace {

using clock = std::chrono::steady_clock;

// A thread without work looks on for that long before it sleeps, or a worker leaves: about what a
// wake-up costs.
constexpr std::chrono::microseconds longest_search{60};
// The same in a parallel phase of the arena's program, which says that more work follows soon.
constexpr std::chrono::microseconds longest_search_in_phase{1000};
constexpr unsigned pausing_rounds = 24;
// After so many rounds without an answer a thief exposes the private items of others itself. On a
// busy machine a search has fewer, so they are counted through all searches until one finds a task.
constexpr unsigned patient_rounds = 40;

// One loop on the stack.
struct task_loop {
  running_task data;
  const d1::wait_context* wait;    // nullptr: at the bottom of a stack, it waits for nothing
  std::intptr_t isolation;         // what it may take
  std::uint32_t float_mark;        // of the thread's floating-point modes (float_word::mark_of)
  std::uint64_t modes_before = 0;  // those before the loop changed them; 0: it has not
  std::uint64_t stolen_at = 0;     // ticks(), when what it runs was stolen; 0: it was not
  unsigned sleeps_before = 0;      // participant::sleeps then

  [[nodiscard]] bool has_ended() const noexcept {
    return wait != nullptr && r1::external_waiter::has_ended(*wait);
  }
};

[[gnu::noinline]] void change_modes(task_loop& loop, std::uint64_t modes) noexcept {
  if (loop.modes_before == 0) loop.modes_before = float_word::now();
  float_word::set(modes);
  loop.float_mark = float_word::mark_of(modes);
}

// The task is the loop's next one, and not what the last one returned.
inline void adopt(participant& me, task_loop& loop, const task& t) noexcept {
  me.isolation = task_access::isolation(t);
  task_group_context* const c = task_access::context(t);
  loop.data.context = c;
  const std::uint64_t modes = context_access::float_modes(*c);
  if (float_word::mark_of(modes) != loop.float_mark && modes != 0) [[unlikely]]
    change_modes(loop, modes);
}

void came_from(task_loop& loop, d1::slot_id seat, d1::slot_id preferred = d1::no_slot) noexcept {
  loop.data.original_slot = seat;
  loop.data.affinity_slot = preferred;
}

// ---- The own deque.

// The task of an item, if the loop may take it and nobody else has. An item that it may not take is
// left in `item`; otherwise that is empty afterwards.
task* task_of(work_item& item, std::intptr_t isolation, d1::slot_id& preferred) noexcept {
  if (task_proxy* const p = item.proxy()) [[unlikely]] {
    if (!may_take(isolation, p->isolation)) return nullptr;
    item = {};
    preferred = p->seat;
    return task_proxy::take(p, task_proxy::in_deque);
  }
  if (!may_take(isolation, task_access::isolation(*item.plain()))) return nullptr;
  preferred = d1::no_slot;
  return std::exchange(item, {}).plain();
}

// The newest item does not belong to the region: looks below it, and puts back what lies above.
[[gnu::noinline]] task* pop_below(participant& me, task_loop& loop, work_item newest) {
  auto deque = me.at->items.owner();
  std::vector<work_item> above{newest};
  task* found = nullptr;
  while (found == nullptr) {
    work_item item;
    if (!deque.pop(item)) break;
    found = task_of(item, loop.isolation, loop.data.affinity_slot);
    if (item.word != 0) above.push_back(item);
  }
  for (; !above.empty(); above.pop_back()) me.in->push(*me.at, above.back());
  return found;
}

task* pop_own(participant& me, task_loop& loop) {
  auto deque = me.at->items.owner();
  for (;;) {
    work_item item;
    if (!deque.pop(item)) return nullptr;
    came_from(loop, me.index);
    task* const t = task_of(item, loop.isolation, loop.data.affinity_slot);
    if (t != nullptr) [[likely]]
      return t;
    if (item.word != 0) return pop_below(me, loop, item);
  }
}

// ---- Others' deques.

// A victim's private items become public without its help, as it has not answered.
void expose(seat& victim) noexcept {
  if (victim.items.thief().size_hint() == 0) return;
  victim.items.thief().expose(
      [&] { deque::heavy_barrier(victim.owner.load(std::memory_order_seq_cst)); });
}

task* steal(participant& me, task_loop& loop, unsigned round) noexcept {
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < me.on->steals_above)
    return nullptr;
  const unsigned seats = me.in->seats_in_use();
  unsigned k = me.next_random() % seats;
  if (k == me.index) k = (k + 1) % seats;
  if (k == me.index) return nullptr;
  seat& victim = me.in->at(k);
  if (round % patient_rounds == patient_rounds - 1) expose(victim);
  const auto answer = victim.items.thief().steal();
  if (answer.result != deque::steal_result::taken) return nullptr;
  work_item item = answer.item;
  came_from(loop, static_cast<d1::slot_id>(k));
  if (task* const t = task_of(item, loop.isolation, loop.data.affinity_slot)) {
    // Relaxed: a counter of this thread.
    me.at->steals.store(me.at->steals.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
    loop.stolen_at = detail::ticks();
    loop.sleeps_before = me.sleeps;
    return t;
  }
  // It belongs to another region than the loop: the one that may can take it from the arena.
  if (item.word == 0) return nullptr;
  task_proxy* const p = item.proxy();
  task* const t = p != nullptr ? task_proxy::take(p, task_proxy::in_deque) : item.plain();
  if (t != nullptr) me.in->share(*t);
  return nullptr;
}

// What was stolen last has run, with all that it left in the own deque.
void note_end_of_stolen(participant& me, task_loop& loop) noexcept {
  if (loop.stolen_at == 0) return;
  me.backoff.note_job(detail::ticks() - loop.stolen_at, me.sleeps != loop.sleeps_before);
  loop.stolen_at = 0;
}

// ---- Stacks that may go on.

// At the bottom of a stack that was recycled, and is used again in whatever arena.
void begin_at_bottom(participant& me, task_loop& loop) noexcept {
  loop.data = {{&me.in->default_context(), d1::no_slot, d1::no_slot}};
  loop.float_mark = float_word::current_mark();
  loop.modes_before = 0;
  me.running = &loop.data;
  me.isolation = no_isolation;
}

// Leaves this stack, at the bottom for good, otherwise until the wait has ended.
void go_over(participant& me, task_loop& loop, task_stack& to) noexcept {
  loop.stolen_at = 0;  // it may go on on another thread
  if (loop.wait != nullptr) {
    leave_for(me, to, switch_note::kind::set_aside, loop.wait);
    return;
  }
  leave_for(me, to, switch_note::kind::recycle);
  begin_at_bottom(self_afresh(), loop);
}

// In a wait of an isolated region, too: if all threads are in such waits, nobody else is there to
// go on with the stacks that these wait for.
task_stack* next_stack(participant& me) noexcept {
  task_stack* const s = first_ready_of(me);
  if (s == nullptr) return me.in->pop_resumable();
  take_out_bound(me, *s);
  return s;
}

// ---- Idle.

[[nodiscard]] inline bool may_leave(const participant& me, const task_loop& loop) noexcept {
  return loop.wait == nullptr && me.visits && me.bound == nullptr;
}

// The worker is wanted elsewhere. Relaxed, both: the market corrects what a stale number leads to.
[[nodiscard]] inline bool is_recalled(const participant& me, const task_loop& loop) noexcept {
  return may_leave(me, loop) && me.in->active.load(std::memory_order_relaxed) >
                                    me.in->allotted.load(std::memory_order_relaxed);
}

// How many tasks other threads have begun in the arena. Relaxed: numbers.
[[nodiscard]] std::uint64_t begun_by_others(const participant& me) noexcept {
  return me.in->tasks_begun() - me.at->tasks.load(std::memory_order_relaxed);
}

// Its last steals were not worth what they cost their owners (steal_backoff.hpp): it leaves the
// deques alone for a while, but not what lies elsewhere. If work has waited all through a nap, and
// none was added, its owners block: until one of them begins a task there is nobody to spare.
[[nodiscard]] bool should_nap(participant& me) noexcept {
  if (!me.backoff.holds_back()) return false;
  if (begun_by_others(me) != me.stood_still_at) return me.backoff.may_nap();
  me.backoff.note_standstill();
  return false;
}

void nap(participant& me, const task_loop& loop) noexcept {
  parking& place = parking::instance();
  sleeper s{.waits_for = loop.wait, .where = me.in, .who = &me, .is_napping = true};
  place.announce(s);
  // Partner in call_for_shared_work().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (loop.has_ended() || first_ready_of(me) != nullptr || me.in->has_work_outside_deques()) {
    place.retract(s);
    return;
  }
  ++me.sleeps;
  const std::uint64_t begun = begun_by_others(me);
  const std::size_t waiting = me.in->items_in_deques();
  place.nap(s, detail::steal_backoff::nap(me.in->seats_in_use()));
  if (begun_by_others(me) == begun && me.in->items_in_deques() == waiting && me.in->has_work())
    me.stood_still_at = begun;
}

// Returns whether it was woken for work that it will look for.
bool sleep(participant& me, const task_loop& loop) noexcept {
  parking& place = parking::instance();
  sleeper s{.waits_for = loop.wait, .where = me.in, .who = &me};
  ++me.sleeps;
  me.backoff.forget_naps();
  place.announce(s);
  const bool is_wanted = me.in->is_still_wanted();
  std::uint32_t how = sleeper::woken;
  if (!is_wanted && !loop.has_ended() && first_ready_of(me) == nullptr)
    how = place.sleep(s);
  else
    how = place.retract(s);
  // The work may be of another region than the wait, and the wake-up for it may have come here.
  if (is_wanted && loop.isolation != no_isolation) place.wake_one_in(*me.in);
  if (how != sleeper::woken_for_work) return false;
  if (!loop.has_ended() && loop.isolation == no_isolation) return true;
  me.in->invite();
  return false;
}

// Where there may be a task besides the own deque, in their order.
task* look_around(participant& me, task_loop& loop, unsigned round) noexcept {
  work_arena& in = *me.in;
  came_from(loop, d1::no_slot);
  if (task* const t = in.pop_critical(loop.isolation)) return t;
  if (task* const t = me.at->mail.pop(loop.isolation)) {
    came_from(loop, d1::no_slot, me.index);
    return t;
  }
  if (loop.isolation == no_isolation)
    if (task* const t = in.pop_enqueued()) return t;
  if (task* const t = in.pop_shared(loop.isolation)) return t;
  return steal(me, loop, round);
}

// Returns nullptr when the wait may have ended, or when the stack was left meanwhile: then the own
// deque may be another one, and the thread, too.
[[gnu::noinline]] task* find(task_loop& loop) {
  clock::time_point since{};
  bool owes_invitation = false;
  note_end_of_stolen(self_afresh(), loop);
  unsigned rounds = 0;
  for (unsigned round = 0;; ++round, ++rounds) {
    participant& me = self_afresh();
    if (loop.has_ended()) {
      if (owes_invitation) me.in->invite();
      return nullptr;
    }
    // Before it looks for more: the worker may be wanted where the priority is higher.
    if (is_recalled(me, loop)) {
      if (owes_invitation) me.in->invite();
      go_over(me, loop, *me.native);
      return nullptr;
    }
    if (round == 0 && should_nap(me)) {
      nap(me, loop);
      continue;
    }
    if (task* const t = look_around(me, loop, rounds)) {
      if (owes_invitation) me.in->invite();
      me.in->observers.enter(me);
      return t;
    }
    if (task_stack* const s = next_stack(me)) {
      if (owes_invitation) me.in->invite();
      go_over(me, loop, *s);
      return nullptr;
    }
    if (round < pausing_rounds) {
      platform::pause();
      continue;
    }
    if (round == pausing_rounds) since = clock::now();
    std::this_thread::yield();
    if (clock::now() - since < (me.in->is_in_phase() ? longest_search_in_phase : longest_search))
      continue;
    round = 0;
    if (owes_invitation) me.backoff.note_useless_wake();
    if (should_nap(me)) {
      nap(me, loop);
      continue;
    }
    // Going to sleep, and leaving, raise hungry_: then nothing is owed any more.
    if (!may_leave(me, loop))
      owes_invitation = sleep(me, loop);
    else if (!me.in->is_still_wanted() && me.in->keeper.give_up(*me.in))
      return go_over(me, loop, *me.native), nullptr;
  }
}

// ---- The loop.

// A critical task comes before any other.
[[gnu::noinline]] task* critical_instead_of(participant& me, task_loop& loop, task& t) {
  task* const first = me.in->pop_critical(loop.isolation);
  if (first == nullptr) return &t;
  task_access::set_context(t, *loop.data.context);
  task_access::set_isolation(t, me.isolation);
  me.in->push(*me.at, work_item::of(t));
  came_from(loop, d1::no_slot);
  adopt(me, loop, *first);
  return first;
}

// Runs t, or a critical task in its place, and sets t to what that wants to run next. If it throws,
// t is the task that has thrown. The thread may be another one afterwards.
void run(participant& me, task_loop& loop, task*& t) {
  if (me.in->has_critical()) [[unlikely]]
    t = critical_instead_of(me, loop, *t);
  // Relaxed: a counter of this thread.
  me.at->tasks.store(me.at->tasks.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  loop.data.now = t;
  t = context_access::is_cancelled(*loop.data.context) ? t->cancel(loop.data)
                                                       : t->execute(loop.data);
}

void run_tasks(task_loop& loop, task* t) {
  for (;;) {
    try {
      for (participant* me = &self_afresh();; me = &self_afresh()) {
        if (t == nullptr) {
          if (loop.has_ended()) return;
          // A worker that is recalled leaves its own deque to others, too: it may have a seat in
          // which another thread has left much.
          t = is_recalled(*me, loop) ? nullptr : pop_own(*me, loop);
          if (t == nullptr) {
            t = find(loop);
            if (t == nullptr) continue;
            me = &self_afresh();
          }
          adopt(*me, loop, *t);
        }
        run(*me, loop, t);
      }
    } catch (...) {
      // Its group is cancelled now, so the task that has thrown is cancelled next, and ends.
      context_access::note_exception(*loop.data.context);
    }
  }
}

}  // namespace

void run_until(participant& me, d1::wait_context& wait, task* first) {
  running_task* const outer = me.running;
  const std::intptr_t isolation = me.isolation;
  task_loop loop{
      {{outer->context, me.index, d1::no_slot}}, &wait, isolation, float_word::current_mark()};
  me.running = &loop.data;
  if (first != nullptr) adopt(me, loop, *first);
  run_tasks(loop, first);
  participant& now = self_afresh();
  now.running = outer;
  now.isolation = isolation;
  if (loop.modes_before != 0) [[unlikely]]
    float_word::set(loop.modes_before);
}

void visit_arena(participant& me) noexcept {
  me.visits = true;
  try {
    leave_for(me, acquire_stack(), switch_note::kind::nothing);
  } catch (const std::bad_alloc&) {
    // No stack: another worker may have more luck.
  }
  me.visits = false;
}

void serve_on_stack() noexcept {
  task_loop loop{{}, nullptr, no_isolation, 0};
  begin_at_bottom(self_afresh(), loop);
  run_tasks(loop, nullptr);
  __builtin_unreachable();  // nothing ends a wait for nothing
}

}  // namespace heist::inline v0::libtbb
