#include "arenas/task_stack.hpp"

#include <mutex>
#include <utility>

#include "arenas/arena.hpp"
#include "arenas/dispatch.hpp"
#include "heist/detail/sanitizers.hpp"
#include "heist/detail/short_lock.hpp"
#include "parts/controls.hpp"
#include "platform/context.hpp"

#if HEIST_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if HEIST_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace heist::inline v0::libtbb {

constinit std::atomic<unsigned> stacks_aside{0};

namespace {

constexpr std::size_t most_recycled = 64;
constinit detail::short_lock recycled_lock;
constinit task_stack* recycled = nullptr;
constinit std::size_t recycled_count = 0;

void destroy(task_stack& s) noexcept {
#if HEIST_TSAN
  __tsan_destroy_fiber(s.tsan_context);
#endif
  platform::release_stack(s.stack);
  delete &s;
}

void recycle(task_stack& s) noexcept {
  {
    const std::lock_guard held(recycled_lock);
    if (recycled_count < most_recycled) {
      s.next = std::exchange(recycled, &s);
      ++recycled_count;
      return;
    }
  }
  destroy(s);
}

void set_aside(participant& me, task_stack& s) noexcept {
  if (s.waits_for != nullptr) stacks_aside.fetch_add(1, std::memory_order_seq_cst);
  if (s.bound_to == &me)
    s.next = std::exchange(me.bound, &s);
  else
    s.where->push_resumable(s);
}

// On the stack that was switched to, on whatever thread.
void arrive(task_stack& here) noexcept {
#if HEIST_ASAN
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(here.asan_fake_stack, &bottom, &size);
  task_stack& left = *self_afresh().note.left;
  left.asan_bottom = bottom;
  left.asan_size = size;
#endif
  here.exceptions.put();
  participant& me = self_afresh();
  me.running = here.running;
  if (here.outermost != nullptr) me.outermost = here.outermost;
  me.isolation = here.isolation;
  const switch_note note = std::exchange(me.note, {});
  switch (note.what) {
    case switch_note::kind::nothing:
      break;
    case switch_note::kind::call:
      if (note.left->bound_to != nullptr) note.left->next = std::exchange(me.bound, note.left);
      note.callback(note.argument, reinterpret_cast<r1::suspend_point_type*>(note.left));
      break;
    case switch_note::kind::recycle:
      recycle(*note.left);
      break;
    case switch_note::kind::set_aside:
      set_aside(me, *note.left);
      break;
  }
}

// The entry of each stack. It never returns: a stack that was recycled is continued in
// serve_on_stack.
void run_stack(void* payload) noexcept {
  auto* const here = static_cast<task_stack*>(payload);
  arrive(*here);
  serve_on_stack();
  __builtin_unreachable();
}

}  // namespace

bool task_stack::may_go_on() const noexcept {
  // Acquire: partner in resume().
  if (waits_for != nullptr) return r1::external_waiter::has_ended(*waits_for);
  return ready.load(std::memory_order_acquire);
}

task_stack& acquire_stack() {
  {
    const std::lock_guard held(recycled_lock);
    if (recycled != nullptr) {
      --recycled_count;
      return *std::exchange(recycled, recycled->next);
    }
  }
  const auto memory = platform::allocate_stack(worker_stack_bytes(), platform::min_guard_bytes);
  if (!memory) throw std::bad_alloc();
  auto* const made = new (std::nothrow) task_stack;
  if (made == nullptr) {
    platform::release_stack(*memory);
    throw std::bad_alloc();
  }
  made->stack = *memory;
  made->sp = platform::make_context(memory->top(), memory->base, &run_stack);
#if HEIST_TSAN
  made->tsan_context = __tsan_create_fiber(0);
#endif
  made->asan_bottom = memory->base;
  made->asan_size = memory->size;
  made->steals_above = reinterpret_cast<std::uintptr_t>(memory->top()) - memory->size / 2;
  return *made;
}

void leave_for(participant& me, task_stack& next, switch_note::kind what,
               const d1::wait_context* waits_for) noexcept {
  task_stack& left = *me.on;
  left.running = me.running;
  left.outermost = me.outermost;
  left.isolation = me.isolation;
  left.where = me.in;
  left.at = me.at;
  left.bound_to = &left == me.native || left.moves != 0 ? &me : nullptr;
  left.waits_for = waits_for;
  left.ready.store(false, std::memory_order_relaxed);  // relaxed: nobody else knows it yet
  left.exceptions = detail::exception_globals::take();
  me.note.what = what;
  me.note.left = &left;
  me.on = &next;
  if (next.running == nullptr) next.running = me.running;  // a fresh one has no loop yet
#if HEIST_ASAN
  __sanitizer_start_switch_fiber(&left.asan_fake_stack, next.asan_bottom, next.asan_size);
#endif
#if HEIST_TSAN
  left.tsan_context = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(next.tsan_context, 0);
#endif
  platform::switch_context(&left.sp, next.sp, &next);
  arrive(left);
}

void take_out_bound(participant& me, task_stack& s) noexcept {
  task_stack** place = &me.bound;
  while (*place != &s) place = &(*place)->next;
  *place = s.next;
  if (s.waits_for != nullptr) stacks_aside.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace heist::inline v0::libtbb
