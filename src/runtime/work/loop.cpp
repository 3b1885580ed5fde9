// The scheduler loop: what a worker does when its fiber has no task. It finds work, runs it, and in
// the end sleeps.
//
//   searching   looks at its mailbox, the injection queue and some victims, with pauses in between
//   yielding    the same, yielding its processor between looks (ABP, section 3: the yield)
//   sleepy      exposes what owners in long leaves hold privately, if it waited for expose_patience
//   parked      sleepers.hpp
//   napping     steal_backoff.hpp
//
// The loop runs on a fiber like everything else. Stolen work is called from here, so a steal costs
// no switch. If the work suspends, this frame is suspended with it, and a fresh fiber begins
// another loop.
#include "runtime/work/loop.hpp"

#include <sched.h>

#include <chrono>
#include <thread>
#include <utility>

#include "platform/cpu.hpp"
#include "platform/fatal.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"
#include "runtime/notes.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/search.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0::detail {

namespace {

using clock = std::chrono::steady_clock;

constexpr unsigned spin_rounds = 48;  // searches with pauses only
// After that, searches with a yield between them: at least this many, and for as long as a wake-up
// takes.
constexpr unsigned yield_rounds = 16;
constexpr unsigned pauses_per_round = 8;
constexpr unsigned rounds_between_naps = 4;  // of a worker that holds back
// How long an owner may leave a request unanswered before a thief helps itself: longer than almost
// any pause between two forks, short beside what the thief would lose.
constexpr auto expose_patience = std::chrono::microseconds(20);
// With more stacks in use than this, functions probably wait for roots that nobody has begun: then
// these go before the forks of functions that wait. A system has some 30,000 stacks by default.
constexpr std::uint64_t many_stacks = 4096;
// How often a worker without a stack looks for one, and how long it looks before it reports that.
constexpr auto starved_pause = std::chrono::microseconds(200);
constexpr auto starved_patience = std::chrono::seconds(1);

// What was pushed, or came in from outside. Afterwards a root that nobody awaits is gone, and the
// worker may be another.
template <class Item>
void run(worker& w, Item& item, const rendezvous* settled) noexcept {
  if (is_measured(w) || notes::is_traced() || waits_are_checked()) [[unlikely]]
    return notes::run(w, item);
  fiber& me = *w.current;
  me.ends = settled;
  item.run(item);
  me.ends = nullptr;
}
void run_job(worker& w, job& j) noexcept { run(w, j, &j.state); }

// Its function alone, and what that leaves on its fiber's deque.
void run_function(worker& w, root& r, const rendezvous* settled) noexcept {
  fiber& me = *w.current;
  me.runs_root = true;
  run(w, r, settled);
  me.runs_root = false;
  if (me.at_end_of_root != nullptr) [[unlikely]]
    std::exchange(me.at_end_of_root, nullptr)(me);
}

void run_root_item(worker& w, root& r) noexcept {
  w.current.get()->priority = 0;  // that of the job before, on this fiber
  w.count.roots.add();
  w.root_began.store(ticks(), std::memory_order_relaxed);
  w.begin_running();
  w.serves.store(r.is_awaited ? &r : nullptr, std::memory_order_relaxed);  // see worker.hpp
  if (r.is_awaited) {
    run_function(w, r, &r.state);
    r.views = leave_views(self_worker());
    settle(r.state, job::done);
  } else {
    pool_impl& pool = w.pool;
    run_function(w, r, nullptr);  // r is gone now, and the worker may be another
    if (leave_views(self_worker()) != nullptr) refuse_views();
    pool.note_finished();
  }
}

// The newest fiber of the mailbox, nullptr if there is none; the others are sent again.
fiber* take_mail(worker& w) noexcept {
  // Relaxed look first; acquire: partner is the release in send_home.
  if (w.mailbox.load(std::memory_order_relaxed) == nullptr) return nullptr;
  fiber* const f = w.mailbox.exchange(nullptr, std::memory_order_acquire);
  if (f == nullptr) return nullptr;
  for (fiber* rest = f->next; rest != nullptr;) {
    fiber* const next = rest->next;
    w.pool.push_ready(*rest, &w);
    rest = next;
  }
  return f;
}

// What follows is true if it ran something. If it resumes a fiber it doesn't return: this fiber
// ends.

bool run_injected(worker& w, const injected& item) noexcept {
  if (item.resumable != nullptr) resume(w, *item.resumable);
  if (item.left_behind != nullptr) {
    w.begin_running();
    run_job(w, *item.left_behind);
    return true;
  }
  if (item.entry == nullptr) return false;
  run_root_item(w, *item.entry);
  return true;
}

[[gnu::always_inline]] inline bool run_entry(worker& w) noexcept {
  w.owes_turn = false;
  const bool urgent_first = w.serves_entry;
  w.serves_entry = false;
  w.turns.note_entry();
  injection_queue& entry = w.pool.injection();
  if (!entry.has_for(w.entry)) return false;
  if (takes_own_only(w)) return run_injected(w, entry.pop_for(*w.call, w.entry));
  // The count of stacks is written by all, so it is read only when there is a choice.
  const bool has_many_stacks = w.pool.stack_use().in_use() > many_stacks;
  return run_injected(w, entry.pop(w.entry, has_many_stacks, urgent_first));
}

// What others have made ready or left behind.
bool run_left_elsewhere(worker& w, bool spares_last) noexcept {
  return run_injected(w, w.pool.injection().pop_elsewhere(
                             w.entry, takes_own_only(w) ? w.call.get() : nullptr, spares_last));
}

// Runs a job that an earlier batched steal brought along.
[[gnu::always_inline]] inline bool run_loot(worker& w) noexcept {
  if (w.uses_split()) return false;
  const std::optional<job*> j = w.loot->pop();
  if (!j) return false;
  if (w.counts_all) w.count.takes.add();
  w.turns.note_own();
  w.begin_running();
  run_job(w, **j);
  return true;
}

// Exposes private work of owners; `if_asked`: only of those that leave requests unanswered.
bool help_out(worker& w, bool if_asked) noexcept {
  if (!w.uses_split()) return false;
  for (unsigned i = 0; i < w.pool.slots(); ++i)
    if (i != w.index && may_steal_from(w, w.pool.at(i)) && w.pool.expose(w, w.pool.at(i), if_asked))
      return true;
  return false;
}

// A guest's call has ended, and none of its fibers needs this very thread.
bool has_ended(const worker& guest) noexcept {
  return guest.stalled == 0 && guest.call.get()->state.look() != rendezvous::pending;
}

// Somebody waits for the thread whose seat the guest has.
bool is_in_the_way(const worker& guest) noexcept {
  // Relaxed: a hint; the one that leaves looks again.
  return guest.stalled == 0 && is_in_place_of_a_worker(guest) &&
         guest.pool.resident(guest.index).mailbox.load(std::memory_order_relaxed) != nullptr;
}

// True if it ran something. A guest begins with what it has come for.
bool run_new_call(worker& w) noexcept {
  if (!w.call_is_new) return false;
  w.call_is_new = false;
  run_root_item(w, *w.call);
  return true;
}

bool run_stolen(worker& w, unsigned round) noexcept {
  const bool has_searched = w.turns.entry_first();
  w.turns.note_others();
  if (run_left_elsewhere(w, has_searched)) return true;
  job* const j = steal_round(w, round);
  if (j == nullptr) return false;
  w.begin_running();
  w.last_asked = ~0U;
  const std::uint64_t before = ticks();
  const std::uint64_t waits = w.count.suspends.get();
  w.backoff.begin_job(before, waits);
  run_job(w, *j);
  worker& now = self_worker();  // it may be another
  now.backoff.note_job(ticks() - before, &now != &w || now.count.suspends.get() != waits);
  return true;
}

[[gnu::always_inline]] inline bool run_own(worker& w) noexcept {
  if (run_loot(w)) return true;
  fiber* const f = take_mail(w);
  if (f == nullptr) return false;
  w.turns.note_own();
  resume(w, *f);
}

[[gnu::noinline]] bool run_entry_first(worker& w) noexcept { return run_entry(w) || run_own(w); }

// What waits for the worker's place, every other time.
bool run_placed(worker& w) noexcept {
  const bool has_just = w.ran_placed;
  w.ran_placed = false;
  root* const r = has_just ? nullptr : w.pool.placed()->pop(w.place);
  if (r == nullptr) return false;
  w.ran_placed = true;
  run_root_item(w, *r);
  return true;
}

// What waits for another place, when there has been nothing else for twice the time in which a
// sleeper of that place would have come.
bool run_placed_elsewhere(worker& w) noexcept {
  if (w.pool.placed()->empty()) return false;
  const auto now = clock::now();
  if (w.passed_places.get() == clock::time_point{}) w.passed_places = now;
  if (now - w.passed_places.get() < 2 * w.pool.patience()) return false;
  root* const r = w.pool.placed()->pop_elsewhere(w.place);
  if (r == nullptr) return false;
  run_root_item(w, *r);
  return true;
}

// The next turn, by turns.hpp. One that was given to an urgent root (T3) is that root's.
bool take_turn(worker& w, unsigned round) noexcept {
  if (w.pool.placed() != nullptr && run_placed(w)) return true;
  if (!w.serves_entry && !w.turns.entry_first() && run_stolen(w, round)) return true;
  const bool own_first = w.turns.own_first() && !w.serves_entry;
  if (own_first ? run_own(w) || run_entry(w) : run_entry_first(w)) return true;
  if (run_stolen(w, round)) return true;
  return w.pool.placed() != nullptr && run_placed_elsewhere(w);
}

// T4. Relaxed: the one that leaves looks again.
bool keeps_others_out(const worker& guest) noexcept {
  if (guest.stalled != 0 || !is_in_place_of_a_worker(guest)) return false;
  if (!guest.serves_entry && !guest.pool.injection().root_is_due(guest.entry)) return false;
  return takes_own_only(guest) && !guest.pool.own_thread_runs();
}

// How a worker passes the time between two searches that found nothing.
class idle_pacing {
 public:
  explicit idle_pacing(worker& w) noexcept
      : w_(w),
        idle_(w.pool.config().idle),
        is_paced_(w.pool.config().yield == yield_kind::paced),
        may_nap_(w.uses_split() && is_paced_ && idle_ == idle_kind::park && !w.is_guest) {}

  [[nodiscard]] unsigned round() const noexcept { return round_; }

  // Before the first search.
  void begin() noexcept {
    w_.backoff.come_back(w_.count.suspends.get());
    if (holds_back() && w_.backoff.may_nap()) nap();
  }
  // False: a guest has nothing to wait for.
  bool pass() noexcept {
    notes::finds_nothing(w_, false);
    if (!w_.is_guest && idle_ == idle_kind::park && w_.pool.seat_is_wanted()) {
      sleep();
      return true;
    }
    const unsigned r = round_++;
    if (is_paced_) {
      // One that spins yields now and then, too: the one that has the work may be without a
      // processor.
      const bool spins = r < spin_rounds || (idle_ == idle_kind::spin && r % spin_rounds != 0);
      if (spins)
        for (unsigned i = 0; i < pauses_per_round; ++i) platform::pause();
      else
        sched_yield();
    }
    if (holds_back() && round_ == rounds_between_naps) {
      rest();
      return true;
    }
    if ((r < spin_rounds || idle_ == idle_kind::spin) && r % spin_rounds != spin_rounds - 1)
      return true;
    const auto now = clock::now();
    if (since_ == clock::time_point{}) {
      since_ = helped_ = now;
      recount_spares(w_);
    }
    if (now - helped_ >= expose_patience) {
      helped_ = now;
      if (help_out(w_, false)) return true;
    }
    if (idle_ != idle_kind::park || round_ <= spin_rounds + yield_rounds ||
        now - since_ < w_.pool.patience())
      return true;
    if (!w_.is_guest) {
      sleep();
      return true;
    }
    if (w_.stalled == 0) return false;
    std::this_thread::sleep_for(starved_pause);  // for a fiber that only this thread may resume
    return true;
  }

 private:
  [[nodiscard]] bool holds_back() const noexcept { return may_nap_ && w_.backoff.holds_back(); }
  void rest() noexcept {
    if (!w_.backoff.may_nap()) return sleep();
    nap();
    round_ = 0;
  }
  void nap() noexcept {
    w_.pool.nap(w_);
    // The one that was asked before and has not answered since forks no more: it is in a long leaf.
    static_cast<void>(help_out(w_, true));
  }
  void sleep() noexcept {
    if (was_woken_) w_.backoff.note_useless_wake();
    w_.backoff.forget_naps();
    recycle_spares(w_);
    notes::finds_nothing(w_, true);
    w_.pool.sleep(w_);
    was_woken_ = true;
    round_ = 0;
    since_ = {};
  }

  worker& w_;
  const idle_kind idle_;
  const bool is_paced_;
  const bool may_nap_;
  bool was_woken_ = false;
  unsigned round_ = 0;
  clock::time_point since_{};  // the search began; unset: not looked at yet
  clock::time_point helped_{};
};

// Searches until something was run (true), or the pool stops or the guest may leave (false).
bool find_and_run(worker& w) noexcept {
  if (run_new_call(w)) return true;
  if (w.is_guest && has_ended(w)) return false;
  if (w.alone)
    platform::fatal("the child of a fork() left the function that its worker ran; _exit there");
  w.set_state(worker_state::searching);
  if (w.seen != nullptr) w.seen->begin_idle();
  idle_pacing wait(w);
  wait.begin();
  w.passed_places = clock::time_point{};
  for (;;) {
    if (w.pool.somebody_starves()) share_cached(w);
    if (w.is_guest && keeps_others_out(w)) return false;
    if (take_turn(w, wait.round())) return true;
    if (w.is_guest ? has_ended(w) || is_in_the_way(w) : w.pool.stopping()) return false;
    if (!wait.pass()) return false;
  }
}

// Called on a fiber, so that the hook may fork like anything else.
void call_start_hook(worker& w) noexcept {
  if (w.greeted || w.is_guest) return;
  w.greeted = true;
  w.set_state(worker_state::running);  // the hook
  pool_impl& pool = w.pool;
  if (!pool.config().on_thread_start) return;
  pool.config().on_thread_start(w.index);  // the worker may be another afterwards
  pool.note_finished();
}

}  // namespace

void fiber_main(void* self) noexcept {
  fiber& me = *static_cast<fiber*>(self);
  arrive(me);
  if (me.task.main != nullptr) {  // only for the sanitizers: call_fiber
    me.task.main(me.task.closure, &me, me.task.depth);
    return_to_spawner(me);
  }
  run_loop();
}

void run_loop() noexcept {
  call_start_hook(self_worker());
  while (find_and_run(self_worker())) {
  }
  leave_fibers(self_worker());
}

void serve_ready(worker& w) noexcept {
  w.set_state(worker_state::starved);
  const auto since = clock::now();
  for (unsigned round = 0;; ++round) {
    fiber* f = take_mail(w);
    if (f == nullptr) f = w.pool.injection().pop_fiber();
    const bool is_fresh = f == nullptr;
    if (is_fresh) f = take_fiber(w);
    if (f != nullptr) {
      take_over(*f);
      place_deque(w, is_fresh ? w.first_position() : f->depth.get(), f->array->slots);
      w.starves = false;
      w.pool.end_starving();
      w.current = f;
      note_resumed(w, *f);
      return switch_fiber(w.native, *f);
    }
    if (w.is_guest ? has_ended(w) : w.pool.stopping()) {
      w.starves = false;
      return w.pool.end_starving();
    }
    // It looks again and again: no other worker wakes this one when a stack becomes free.
    if (round < yield_rounds) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(starved_pause);
      if (clock::now() - since > starved_patience) w.pool.report_starvation();
    }
  }
}

}  // namespace heist::inline v0::detail
