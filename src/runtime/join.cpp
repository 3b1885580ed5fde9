// Fork and join, where the fast path wasn't enough; waiting, and ending a wait.
//
// The state of a job or a root has two parties: who ends it and who waits for it. Each makes one
// exchange; the second one sees what the first one left and is responsible for going on:
//
//   pending --(waiter exchanges itself in)--> waiter --(ender exchanges done/threw in)--> the ender wakes the waiter
//   pending --(ender exchanges done/threw in)--> done --(waiter exchanges itself in)--> the waiter goes on itself
//
// Invariants.
//   J1  A fiber is exchanged in only after the switch away from it (run_after_switch): whoever finds
//       it may run it.
//   J2  A worker's deque is empty when its fiber suspends in a join: thieves take the oldest first, so
//       when a frame's own job is gone, everything older is too.
//   J3  A waiter is a fiber, or a thread outside any pool that blocks (blocked_waiter, tagged). A
//       worker never blocks: without memory for another stack it goes on, on its thread's own one, with
//       fibers that have been waited for (serve_ready), so those that they wait for don't wait for ever.
//   J4  A worker that has no stack to begin anything on leaves what it has not begun in the injection
//       queue, and a join that finds its own job there runs it.
#include <exception>

#include "heist/error.hpp"
#include "heist/fork_join.hpp"
#include "platform/fatal.hpp"
#include "platform/park.hpp"
#include "runtime/pool_impl.hpp"
#include "runtime/views.hpp"
#include "runtime/worker.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr std::uintptr_t blocked_tag = 4;
static_assert(alignof(fiber) >= 8);

struct alignas(8) blocked_waiter {
  platform::park_word ended{0};
};

// A job that was stolen has ended: its slot becomes an ordinary one again.
job* taken_back_result(job& j, std::uintptr_t how, bool throws) {
  // Relaxed: until the slot is stolen again only this fiber looks at it.
  j.state.store(job::pending, std::memory_order_relaxed);
  if (j.next != nullptr) [[unlikely]]
    receive_views(reinterpret_cast<view_node*>(j.next));
  if (how == job::done) return &j;
  auto* const kept = std::launder(reinterpret_cast<std::exception_ptr*>(j.payload));
  std::exception_ptr exception = std::move(*kept);
  kept->~exception_ptr();
  if (throws) std::rethrow_exception(std::move(exception));
  return nullptr;
}

// Waits for the job of position h, which was stolen; answers how it ended. Pending: nobody has begun it, and
// it is the caller's again (J4).
std::uintptr_t wait_for_stolen(position h, job& j) noexcept {
  worker& w = self_worker();
  // Acquire: partner is the exchange in settle(); carries the result.
  std::uintptr_t how = j.state.load(std::memory_order_acquire);
  if (how == job::pending) {
    if (w.alone)
      platform::fatal("the child of a fork() joins work that another thread had begun before it");
    w.count.suspends.add();
    fiber& next = take_fiber_to_wait(w);
    if (&next == &w.native && w.pool.injection().remove(j)) {
      w.pool.one_starves_no_more();
      seat(w, h, w.current.get()->array->slots);
      return job::pending;
    }
    suspend_until_settled(w, next, h, j.state);
    how = j.state.load(std::memory_order_acquire);
  } else {
    seat(w, h, w.current.get()->array->slots);
  }
  return how;
}

// Where the fast path has filled it. Relaxed: the owner's own.
job& slot_of(const control& c, position h) noexcept {
  return *reinterpret_cast<job*>(c.seat.load(std::memory_order_relaxed) + h);
}

// The same for a join, which may be of a fork in slots that the fiber used before.
job& slot_to_join(worker& w, position h) noexcept {
  fiber& me = *w.current;
  if (h >= me.from) return slot_of(*w.deque, h);
  me.from = h;
  drop_older_slots(w, me, h + 1);
  return *reinterpret_cast<job*>(me.older->array->slots + h);
}

}  // namespace

const job* join_child() noexcept {
  worker& w = self_worker();
  const position h = w.deque->depth();
  job& j = slot_to_join(w, h);
  if (take_back(w, h, j)) return &j;
  const std::uintptr_t how = wait_for_stolen(h, j);
  if (how == job::pending) return &j;
  taken_back_result(j, how, false);
  return nullptr;
}

namespace {

job* join_public(bool throws) {
  worker& w = self_worker();
  const position h = w.deque->depth();
  job& j = slot_to_join(w, h);
  if (take_back(w, h, j)) return nullptr;
  const std::uintptr_t how = wait_for_stolen(h, j);
  return how == job::pending ? nullptr : taken_back_result(j, how, throws);
}

}  // namespace

bool take_back(worker& w, position h, job& j) noexcept {
  if (!w.uses_split()) {
    // Either the newest entry is ours, or it and all older ones were stolen (D1, D2). In a child of fork() a
    // lock may be held by a thread that doesn't exist.
    return j.run == nullptr || (w.alone && w.pool.config().deque == deque_kind::locked) ||
           w.forks->pop();
  }
  std::uint32_t reclaimed = 0;
  const auto result = w.deque->pop_slow(h, reclaimed);
  w.count.reclaims.add(reclaimed);
  return result == deque::pop_result::taken;
}

namespace {

// Position h is free after all. A child whose spawner's entry found no room there forks from h on, not above it.
void begin_at(worker& w, position h) noexcept {
  fiber& me = *w.current;
  if (me.from > h) me.from = h;
}

}  // namespace

bool fork_slow() {
  worker* const w = this_worker();
  control& c = current_control();
  const position h = c.depth() - static_cast<position>(sizeof(job));
  if (w == nullptr) {
    // Not pushed. Release as in publish(); there is no thief.
    c.head.store(h, std::memory_order_release);
    return serial_elision();
  }
  if (!w->uses_split()) {
    job& j = slot_of(c, h);
    const bool has_slot = !w->alone && h < c.capacity;
    if (has_slot && w->forks->push(j) == deque::push_result::ok) {
      w->pool.wake_for_exposed(*w);
      return true;
    }
    // The spare slot is every deeper fork's: release as in publish().
    if (!has_slot) c.head.store(h, std::memory_order_release);
    j.run = nullptr;  // D1
    begin_at(*w, h);
    w->count.inlined_forks.add();
    return true;
  }
  const control::push_answer answer = c.on_limit(h);
  if (!answer.pushed) {
    w->count.inlined_forks.add();
    begin_at(*w, h);
  }
  w->count.exposes.add(answer.items);
  if (answer.exposed) w->pool.wake_for_exposed(*w);
  return true;
}

job* join_slow() { return join_public(true); }

job* join_abandoned() noexcept { return join_public(false); }

void keep_exception(job& j) noexcept {
  ::new (static_cast<void*>(j.payload)) std::exception_ptr(std::current_exception());
}

void complete(job& j, std::uintptr_t state) noexcept {
  j.next = reinterpret_cast<job*>(leave_views(self_worker()));
  settle(j.state, state);
}

// An exception_ptr is one pointer to a counted object; as a plain pointer it costs the fast path no
// destructor. The static_assert and the tests hold the library to it.
void* release_current_exception() noexcept {
  static_assert(sizeof(std::exception_ptr) == sizeof(void*));
  alignas(std::exception_ptr) std::byte bytes[sizeof(std::exception_ptr)];
  ::new (static_cast<void*>(bytes)) std::exception_ptr(std::current_exception());
  void* released;
  std::memcpy(&released, bytes, sizeof(released));
  return released;
}

namespace {

std::exception_ptr take_released(void* exception) noexcept {
  alignas(std::exception_ptr) std::byte bytes[sizeof(std::exception_ptr)];
  std::memcpy(bytes, &exception, sizeof(exception));
  auto* const released = std::launder(reinterpret_cast<std::exception_ptr*>(bytes));
  std::exception_ptr taken = std::move(*released);
  released->~exception_ptr();  // libc++ has copied it
  return taken;
}

}  // namespace

void* throw_released(void* exception) { std::rethrow_exception(take_released(exception)); }

void drop_released(void* exception) noexcept { take_released(exception); }

void block_until_settled(std::atomic<std::uintptr_t>& state) noexcept {
  blocked_waiter me;
  std::uintptr_t before = job::pending;
  // Release: the waiter's address carries `me`; partner: the exchange in settle(). Acquire on
  // failure: the result.
  if (!state.compare_exchange_strong(before, reinterpret_cast<std::uintptr_t>(&me) | blocked_tag,
                                     std::memory_order_acq_rel, std::memory_order_acquire))
    return;
  // Acquire: partner is the store in settle(); carries the result.
  while (me.ended.load(std::memory_order_acquire) == 0) platform::futex_wait(me.ended, 0);
}

void suspend_until_settled(worker& w, fiber& next, position h,
                           std::atomic<std::uintptr_t>& state) noexcept {
  fiber& me = *w.current;
  me.depth = h;
  me.home = w.pool.config().join == join_kind::stalling || me.stalls ? &w : nullptr;
  seat(w, 0, next.slots);
  w.after.left = &me;
  w.after.awaited = &state;
  w.after.what = after_switch_action::kind::wait_for;
  w.starves = &next == &w.native;
  w.current = &next;
  switch_fiber(me, next);
}

void wait_until_settled(std::atomic<std::uintptr_t>& state) noexcept {
  worker* const w = this_worker();
  if (w == nullptr || w->alone) return block_until_settled(state);
  const position h = w->deque->depth();
  w->pool.leave_forks_behind(*w);  // the forks that the fiber has open are for others to run
  suspend_until_settled(*w, take_fiber_to_wait(*w), h, state);
}

fiber* settle_for_fiber(std::atomic<std::uintptr_t>& state, std::uintptr_t value) noexcept {
  // Release: the result; partners: the waiter's exchange, or its load when it wakes. Acquire: the
  // waiter, and what its fiber holds.
  const std::uintptr_t waiter = state.exchange(value, std::memory_order_acq_rel);
  if (waiter == job::pending) return nullptr;
  if ((waiter & blocked_tag) == 0) return reinterpret_cast<fiber*>(waiter);
  auto* const thread = reinterpret_cast<blocked_waiter*>(waiter & ~blocked_tag);
  // Release: partner in block_until_settled. From here on *thread may be gone; waking an address
  // where nobody waits does nothing.
  thread->ended.store(1, std::memory_order_release);
  platform::futex_wake(thread->ended, 1);
  return nullptr;
}

void make_ready(fiber& f) noexcept {
  const worker* const w = this_worker();
  if (w != nullptr && &w->pool == f.pool) {
    f.pool->go_on(f);
  } else {
    const pool_impl::visit stay(*f.pool);
    f.pool->go_on(f);
  }
}

void settle(std::atomic<std::uintptr_t>& state, std::uintptr_t value) noexcept {
  fiber* const f = settle_for_fiber(state, value);
  if (f == nullptr) return;
  worker& w = self_worker();
  if (f->pool != &w.pool || f->home.get() != nullptr)
    make_ready(*f);
  else
    resume(w, *f);
}

void run_after_switch() noexcept {
  worker& w = self_worker();
  const after_switch_action::kind what = w.after.what;
  w.after.what = after_switch_action::kind::none;
  fiber* const left = w.after.left;
  switch (what) {
    case after_switch_action::kind::none:
      return;
    case after_switch_action::kind::recycle:
      recycle_fiber(w, *left);
      return;
    case after_switch_action::kind::lend:
      w.pool.stack_use().one_less();
      rewind(*left);
      return;
    case after_switch_action::kind::send_home:
      take_over(*left);
      w.pool.go_on(*left);
      return;
    case after_switch_action::kind::wait_for: {
      take_over(*left);
      std::atomic<std::uintptr_t>& state = *w.after.awaited;
      std::uintptr_t before = job::pending;
      // Release: the fiber, ready to run; partner: the exchange in settle(). Acquire on failure:
      // the result, for the fiber itself.
      if (state.compare_exchange_strong(before, reinterpret_cast<std::uintptr_t>(left),
                                        std::memory_order_acq_rel, std::memory_order_acquire))
        return;
      // It ended meanwhile. The thread's own stack isn't recycled, so it takes the long way (serve_ready).
      if (w.starves)
        w.pool.go_on(*left);
      else
        resume(w, *left);
    }
  }
}

}  // namespace heist::inline v0::detail
