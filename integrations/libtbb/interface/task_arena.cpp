// task_arena: arenas that the program makes, and what it does in the one that it is in. Observers
// of arenas.
#include <algorithm>
#include <optional>
#include <utility>

#include "arenas/arena.hpp"
#include "arenas/contexts.hpp"
#include "arenas/dispatch.hpp"
#include "arenas/participant.hpp"
#include "arenas/task_stack.hpp"
#include "market/first_seat.hpp"
#include "market/market.hpp"
#include "parts/controls.hpp"
#include "parts/float_word.hpp"
#include "parts/parking.hpp"

namespace tbb::detail::r1 {

// The program's object holds a pointer to the arena.
struct task_arena_impl {
  using base = d1::task_arena_base;
  using work_arena = heist::v0::libtbb::work_arena;

  static work_arena* get(const base& a) noexcept {
    // Acquire: partner in set().
    return reinterpret_cast<work_arena*>(a.my_arena.load(std::memory_order_acquire));
  }
  static void set(base& a, work_arena* made) noexcept {
    a.my_arena.store(reinterpret_cast<r1::arena*>(made), std::memory_order_release);
  }
  static int& concurrency(base& a) noexcept { return a.my_max_concurrency; }
  static int asked(const base& a) noexcept { return a.my_max_concurrency; }
  static d1::constraints constraints(const base& a) {
    return d1::constraints{}
        .set_numa_id(a.my_numa_id)
        .set_core_type(a.core_type())
        .set_max_threads_per_core(a.max_threads_per_core());
  }
  static unsigned& reserved(base& a) noexcept { return a.my_num_reserved_slots; }
  static int priority(const base& a) noexcept { return static_cast<int>(a.my_priority); }
  static void set_priority(base& a, int p) noexcept {
    a.my_priority = static_cast<base::priority>(p);
  }
};

using access = task_arena_impl;
using namespace heist::libtbb;

namespace {

// A call in an arena runs with the floating-point modes that its maker had.
class modes_of_arena {
 public:
  explicit modes_of_arena(work_arena& a) noexcept : before_(float_word::now()) {
    if (const auto modes = context_access::float_modes(a.default_context()); modes != 0)
      float_word::set(modes);
  }
  ~modes_of_arena() { float_word::set(before_); }
  modes_of_arena(const modes_of_arena&) = delete;
  modes_of_arena& operator=(const modes_of_arena&) = delete;

 private:
  const std::uint64_t before_;
};

// A thread's seat for the time of a call: in another arena, or in the same one outside of its
// tasks.
class moved_thread {
 public:
  moved_thread() : me_(seated_self()), data_{{nullptr, d1::no_slot, d1::no_slot}} {}
  moved_thread(const moved_thread&) = delete;
  moved_thread& operator=(const moved_thread&) = delete;

  // Sits down; false if the arena is full.
  [[nodiscard]] bool enter(work_arena& to) {
    if (me_.in != &to) {
      const kept_seat before(me_);
      me_.is_worker = false;
      if (!to.sit_down(me_)) {
        before.put_back(me_);
        return false;
      }
      before_ = before;
      ++me_.on->moves;
    }
    outer_ = std::exchange(me_.running, &data_);
    isolation_ = std::exchange(me_.isolation, no_isolation);
    outermost_ = me_.outermost;
    if (before_ || outer_ == outermost_) me_.outermost = &data_;
    data_.context = &to.default_context();
    if (!before_) data_.now = outer_->now;
    modes_.emplace(to);
    entered_ = true;
    return true;
  }

  ~moved_thread() {
    if (!entered_) return;
    participant& me = self_afresh();
    me.running = outer_;
    me.isolation = isolation_;
    me.outermost = outermost_;
    modes_.reset();
    if (!before_) return;
    // The stack was bound to its thread meanwhile, so this is the thread that came.
    --me.on->moves;
    me.in->stand_up(me);
    before_->put_back(me);
  }

 private:
  participant& me_;
  running_task data_;
  std::optional<kept_seat> before_;  // none: it has not moved
  running_task* outer_ = nullptr;
  const d1::execution_data* outermost_ = nullptr;
  std::optional<modes_of_arena> modes_;
  std::intptr_t isolation_ = no_isolation;
  bool entered_ = false;
};

// The call as a task, for an arena that has no seat for the caller.
class delegated_call final : public d1::task {
 public:
  delegated_call(d1::delegate_base& call, d1::wait_context& end) noexcept
      : call_(call), end_(end) {}

 private:
  d1::task* execute(d1::execution_data& data) override {
    // It runs as if the caller had come: in no region, and outside of the arena's tasks.
    participant& me = self_afresh();
    const std::intptr_t isolation = std::exchange(me.isolation, no_isolation);
    d1::task_group_context* const own = data.context;
    data.context = &me.in->default_context();
    try {
      const modes_of_arena during(*me.in);
      call_();
    } catch (...) {
      data.context = own;
      context_access::note_exception(*own);
    }
    data.context = own;
    self_afresh().isolation = isolation;
    end_.release();
    return nullptr;
  }
  d1::task* cancel(d1::execution_data&) override {
    end_.release();
    return nullptr;
  }

  d1::delegate_base& call_;
  d1::wait_context& end_;
};

// Sleeps until the call has ended or a seat is free.
void await_seat(work_arena& where, const d1::wait_context& end) noexcept {
  parking& place = parking::instance();
  sleeper s{.waits_for = &end, .where = &where, .who = nullptr};
  where.waiting_for_seat().fetch_add(1, std::memory_order_seq_cst);  // partner in seat_is_free()
  place.announce(s);
  if (external_waiter::has_ended(end) || where.has_free_seat())
    place.retract(s);
  else
    place.sleep(s);
  where.waiting_for_seat().fetch_sub(1, std::memory_order_relaxed);  // relaxed: a hint
}

void delegate(work_arena& to, d1::delegate_base& call) {
  d1::wait_context end{1};
  d1::task_group_context context(d1::task_group_context::isolated);
  delegated_call t(call, end);
  context_access::bind(context, self_afresh());
  task_access::set_context(t, context);
  task_access::set_isolation(t, no_isolation);
  to.enqueue(t);
  while (!external_waiter::has_ended(end)) {
    moved_thread moved;
    if (moved.enter(to))
      run_until(self_afresh(), end, nullptr);
    else
      await_seat(to, end);
  }
  context_access::rethrow(context);
}

}  // namespace

void initialize(d1::task_arena_base& a) {
  worker_market& m = worker_market::instance();
  int& concurrency = access::concurrency(a);
  const d1::constraints c = access::constraints(a);
  if (concurrency < 1) concurrency = constraints_default_concurrency(c, 0);  // automatic is -1
  const auto size = static_cast<unsigned>(concurrency);
  access::set(a, &m.make_arena(size, std::min(access::reserved(a), size), access::priority(a), c));
}

void terminate(d1::task_arena_base& a) {
  work_arena* const made = access::get(a);
  access::set(a, nullptr);
  worker_market::instance().release(*made);
}

// The arena that the thread is in, if it is in one.
bool attach(d1::task_arena_base& a) {
  const participant* const me = current_participant;
  if (me == nullptr || me->in == nullptr) return false;
  worker_market::instance().refer(*me->in);
  access::set(a, me->in);
  access::reserved(a) = me->in->reserved();
  access::concurrency(a) = static_cast<int>(me->in->concurrency());
  access::set_priority(a, me->in->priority);
  return true;
}

void execute(d1::task_arena_base& a, d1::delegate_base& call) {
  work_arena& to = *access::get(a);
  {
    moved_thread moved;
    if (moved.enter(to)) {
      call();
      return;
    }
  }
  delegate(to, call);
}

void wait(d1::task_arena_base& a) {
  work_arena& where = *access::get(a);
  // Waits until nothing is left to do; for programs that debug.
  while (where.is_still_wanted() || where.active.load(std::memory_order_acquire) != 0) {
    where.advertise();
    std::this_thread::yield();
  }
}

int max_concurrency(const d1::task_arena_base* a) {
  const work_arena* where = nullptr;
  if (a != nullptr)
    where = access::get(*a);
  else if (const participant* const me = current_participant)
    where = me->in;
  if (where != nullptr) return static_cast<int>(worker_market::instance().concurrency_of(*where));
  if (a == nullptr) return static_cast<int>(worker_market::instance().pool_size());
  if (access::asked(*a) == 1) return 1;
  return constraints_default_concurrency(access::constraints(*a), 0);
}

// No seat: the thread isn't in that arena.
d1::slot_id execution_slot(const d1::task_arena_base& a) {
  const participant* const me = current_participant;
  const work_arena* const where = access::get(a);
  return me != nullptr && where != nullptr && me->in == where ? me->index : d1::no_slot;
}

namespace {
work_arena& arena_of_phase(d1::task_arena_base* a) {
  return a != nullptr ? *access::get(*a) : *seated_self().in;
}
}  // namespace

// The arena lives as long as the phase.
void enter_parallel_phase(d1::task_arena_base* a, std::uintptr_t) {
  work_arena& where = arena_of_phase(a);
  worker_market::instance().refer(where);
  where.begin_phase();
}
void exit_parallel_phase(d1::task_arena_base* a, std::uintptr_t) {
  work_arena& where = arena_of_phase(a);
  where.end_phase();
  worker_market::instance().release(where);
}

void isolate_within_arena(d1::delegate_base& call, std::intptr_t tag) {
  participant& me = seated_self();
  const std::intptr_t outer = me.isolation;
  me.isolation = tag != no_isolation ? tag : reinterpret_cast<std::intptr_t>(&call);
  try {
    call();
  } catch (...) {
    self_afresh().isolation = outer;
    throw;
  }
  self_afresh().isolation = outer;
}

void enqueue(d1::task& t, d1::task_group_context& c, d1::task_arena_base* a) {
  participant& me = seated_self();
  work_arena& to = a != nullptr ? *access::get(*a) : *me.in;
  context_access::bind(c, me);
  task_access::set_context(t, c);
  task_access::set_isolation(t, no_isolation);
  to.enqueue(t);
}

void enqueue(d1::task& t, d1::task_arena_base* a) {
  work_arena& to = a != nullptr ? *access::get(*a) : *seated_self().in;
  enqueue(t, to.default_context(), a);
}

namespace {
// The arena of an object of the program, which is made now if it was not.
work_arena& initialized_arena(d1::task_arena& a) {
  a.initialize();
  return *access::get(a);
}
}  // namespace

// An observer of an arena observes that one, any other the arena of the thread that calls.
void observe(d1::task_scheduler_observer& o, bool on) {
  std::atomic<observer_proxy*>& place = observer_proxy::of(o);
  if (on == (place.load(std::memory_order_acquire) != nullptr)) return;
  if (on) {
    work_arena& where =
        o.my_task_arena != nullptr ? initialized_arena(*o.my_task_arena) : *seated_self().in;
    worker_market::instance().refer(where);
    auto* const p = new observer_proxy{&o, &where, 0};
    place.store(p, std::memory_order_release);  // partner: the load above, of the one that stops it
    where.observers.add(*p);
    participant& me = self();
    if (me.in == &where) where.observers.enter(me);
  } else {
    observer_proxy* const p = place.exchange(nullptr, std::memory_order_acq_rel);
    if (p == nullptr) return;  // another thread was faster
    p->where->observers.remove(*p);
    worker_market::instance().release(*p->where);
    delete p;
  }
}

}  // namespace tbb::detail::r1
