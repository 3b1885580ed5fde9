#include "runtime/fibers/switch.hpp"

#include <utility>

#include "heist/detail/invariant.hpp"
#include "platform/context.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/waiting_party.hpp"
#include "runtime/notes.hpp"

#if HEIST_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace heist::inline v0::detail {

namespace {

// What the sanitizers must know before the switch itself. ThreadSanitizer: the switch synchronises
// nothing; it is told of the hand-over of the fiber separately. Inlined, since ThreadSanitizer
// would take this function's return for one of the other fiber's.
[[gnu::always_inline]] inline void before_switch([[maybe_unused]] fiber& left,
                                                 [[maybe_unused]] fiber& next) noexcept {
#if HEIST_ASAN
  // A fiber that will never be resumed gives its fake stack back.
  const bool dies = self_worker().after.what == after_switch_action::kind::recycle;
  __sanitizer_start_switch_fiber(dies ? nullptr : &left.asan_fake_stack, next.asan_bottom,
                                 next.asan_size);
#endif
#if HEIST_TSAN
  void* const context = next.tsan_context;
  __atomic_store_n(&next.tsan_thread, &self_worker().native, __ATOMIC_RELAXED);
  hand_over(left);                 // with everything that it did
  __tsan_release(&self_worker());  // what it did to values of the thread; partner in own_value.cpp
  __tsan_switch_to_fiber(context, __tsan_switch_to_fiber_no_sync);
#endif
}

void after_switch([[maybe_unused]] fiber& self) noexcept {
  take_over(self);
#if HEIST_TSAN
  // What the thread did before its first fiber: ThreadSanitizer takes a thread's start for a write
  // to all of its thread-locals.
  take_over(*__atomic_load_n(&self.tsan_thread, __ATOMIC_RELAXED));
#endif
#if HEIST_ASAN
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(self.asan_fake_stack, &bottom, &size);
  // The thread's own stack: known from the first switch away from it.
  worker& w = self_worker();
  if (w.native.asan_bottom == nullptr) {
    w.native.asan_bottom = bottom;
    w.native.asan_size = size;
  }
#endif
}

// The fiber has been left: from here on the one that ends the wait may run it (J1).
void begin_wait(worker& w, fiber& left, rendezvous& state) noexcept {
  take_over(left);
  HEIST_INVARIANT("rendezvous.hpp J1", w.current.get() != &left);
  // Its release: the fiber, ready to run. Its acquire on failure: the result, for the fiber itself.
  if (state.wait(waiting_party(left).word())) return;
  // The wait has ended meanwhile. The thread's own stack isn't recycled, so there the fiber goes
  // through the injection queue (serve_ready).
  if (w.starves)
    w.pool.push_ready(left, &w);
  else
    resume(w, left);
}

// Carries out what the worker noted when it left the fiber.
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
      note_free(w);
      rewind(*left);
      return;
    case after_switch_action::kind::send_home:
      take_over(*left);
      w.pool.push_ready(*left, &w);
      return;
    case after_switch_action::kind::wait_for:
      begin_wait(w, *left, *w.after.awaited);
  }
}

}  // namespace

void switch_fiber(fiber& left, fiber& next) noexcept {
  left.exceptions = exception_globals::take();
  // Relaxed: an order would hide races from ThreadSanitizer; partner in rewind().
  void* const target = __atomic_load_n(&next.sp, __ATOMIC_RELAXED);
  before_switch(left, next);
  // Read no thread-local between these lines: the thread may change.
  platform::switch_context(&left.sp, target, &next);
  arrive(left);
}

void switch_fiber(worker& w, fiber& left, fiber& next, after_switch_action::kind note) noexcept {
  HEIST_INVARIANT("src/runtime/README.md R1", w.current.get() == &left || w.current.get() == &next);
  w.after.left = &left;
  w.after.what = note;
  w.current = &next;
  switch_fiber(left, next);
}

bool call_fiber(fiber& spawner, fiber& child, child_function run, void* closure) noexcept {
#if HEIST_ASAN || HEIST_TSAN
  // A switch tells the sanitizers all that they must know.
  child.task.main = run;
  child.task.closure = closure;
  // A new context: with the floating-point modes of now.
  __atomic_store_n(
      &child.sp,
      platform::make_context(reinterpret_cast<std::byte*>(&child), child.stack.base, child.begin),
      __ATOMIC_RELAXED);
  hand_over(child);
  spawner.child_ended = false;
  switch_fiber(spawner, child);
  return !spawner.child_ended;
#else
  spawner.exceptions = exception_globals::take();
  if (platform::call_on_stack(&spawner.sp, &child, run, closure, child.task.depth) != nullptr) {
    arrive(spawner);
    return true;
  }
  std::exchange(spawner.exceptions, {}).put();
  return false;
#endif
}

void return_to_spawner(fiber& self) noexcept {
  worker& w = self_worker();
  fiber& spawner = *self.task.spawner;
  take_over(spawner);
  give_views_back(&self);
  spawner.child_ended = true;
  hand_over(spawner);
  switch_fiber(w, self, spawner, after_switch_action::kind::recycle);
  __builtin_unreachable();
}

void arrive(fiber& self) noexcept {
  after_switch(self);
  std::exchange(self.exceptions, {}).put();
  run_after_switch();
}

// Called inline (spawn_path.hpp): somebody has resumed a spawner, and its spawn returns.
void spawner_arrived(fiber* spawner) noexcept { arrive(*spawner); }

namespace {

// The running fiber is left, with that note. Inlined, since a suspended stack holds each frame.
[[gnu::always_inline]] inline void leave(worker& w, fiber& next, position h, awaited what,
                                         worker* home, after_switch_action::kind note) noexcept {
  fiber& me = *w.current;
  me.awaits = what;
  me.depth = h;
  me.home = home;
  me.is_stalled = home == &w;
  if (me.is_stalled) w.stalled = w.stalled + 1;
  // Relaxed: as worker::serves says.
  me.serves = w.serves.load(std::memory_order_relaxed);
  place_deque(w, w.first_position(), next.slots);
  const bool is_timed = notes::suspends(w, me, what, is_measured(w));
  switch_fiber(w, me, next, note);
  if (is_timed) [[unlikely]]
    notes::goes_on(me);
  me.awaits.kind = wait_kind::none;
}

}  // namespace

void suspend_until_settled(worker& w, fiber& next, position h, rendezvous& state,
                           awaited what) noexcept {
  if (w.lock_checks != nullptr) [[unlikely]]
    notes::look_at_locks(w, what);
  fiber& me = *w.current;
  me.awaited_state = &state;
  w.after.awaited = &state;
  w.starves = &next == &w.native;
  const bool stalls = w.pool.config().join == join_kind::stalling || me.stalls != 0;
  leave(w, next, h, what, stalls ? &w : nullptr, after_switch_action::kind::wait_for);
}

void leave_ready(worker& w, fiber& next, position h, worker* home) noexcept {
  leave(w, next, h, {wait_kind::other}, home, after_switch_action::kind::send_home);
}

void note_resumed(worker& w, fiber& f) noexcept {
  w.begin_running();
  w.serves.store(f.serves, std::memory_order_relaxed);
  if (f.is_stalled) {
    f.is_stalled = false;
    w.stalled = w.stalled - 1;
  }
  if (f.traced_wait != 0) [[unlikely]]
    notes::resumes(w, f);
}

void resume(worker& w, fiber& f) noexcept {
  take_over(f);
  note_resumed(w, f);
  place_deque(w, f.depth, f.array->slots);
  switch_fiber(w, *w.current, f, after_switch_action::kind::recycle);
  __builtin_unreachable();  // a recycled fiber starts anew in fiber_main
}

void leave_fibers(worker& w) noexcept {
  switch_fiber(w, *w.current, w.native, after_switch_action::kind::recycle);
  __builtin_unreachable();
}

}  // namespace heist::inline v0::detail
