// A thread that takes part: one that called any function of the library, or a worker of heist's
// that visits an arena.
//
// A participant has a seat in one arena at a time. A thread from outside sits in an arena of its
// own from its first task on (market/first_seat.hpp); task_arena::execute moves it to another for
// the time of the call. A worker has a seat while it visits (market/market.hpp).
//
// All fields are the thread's own, unless it is said.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "heist/deque/heavy_barrier.hpp"
#include "parts/abi.hpp"
#include "runtime/core/steal_backoff.hpp"

namespace heist::inline v0::libtbb {

class work_arena;
struct seat;
struct task_stack;
struct context_list;
class observer_proxy;
class small_objects;
class thread_vertices;

// What a task is told when it runs, and the task.
struct running_task : d1::execution_data {
  task* now = nullptr;  // the innermost that runs; nullptr: none
};

// What is to be done for the stack that was left, on the one that was switched to.
struct switch_note {
  enum class kind : std::uint8_t { nothing, call, recycle, set_aside };
  kind what = kind::nothing;
  task_stack* left = nullptr;
  r1::suspend_callback_type callback = nullptr;  // call: of suspend()
  void* argument = nullptr;
};

struct participant {
  participant();
  ~participant();
  participant(const participant&) = delete;
  participant& operator=(const participant&) = delete;

  work_arena* in = nullptr;
  seat* at = nullptr;
  d1::slot_id index = d1::no_slot;  // of the seat
  bool is_worker = false;

  // Of the task loop that runs, the innermost. Its context is that of the running task.
  running_task* running = &outside;
  running_task outside{{nullptr, d1::no_slot, d1::no_slot}};  // when no loop runs
  // No task runs in its arena where `running` is this: outside, or that of a call of execute().
  const d1::execution_data* outermost = &outside;
  // The isolated region that the thread is in: of the running task, or of isolate().
  std::intptr_t isolation = no_isolation;

  small_objects* memory;
  deque::heavy_barrier_target barrier;
  context_list* contexts;  // those that were bound by this thread
  std::uint32_t random;

  // Stacks (task_stack.hpp): the thread's own, and the running one.
  task_stack* native;
  task_stack* on;
  task_stack* bound = nullptr;  // suspended ones that only this thread may resume, linked by next
  switch_note note;
  detail::steal_backoff backoff;  // whether its last steals were worth it
  // How many tasks others had begun when work waited all through its last such nap.
  std::uint64_t stood_still_at = ~std::uint64_t{0};
  unsigned sleeps = 0;  // so far, naps included; it may wrap around
  bool visits = false;  // a worker whose own stack waits for the end of the visit

  // The newest observer of the arena that has seen this thread enter (observers.hpp).
  std::uint64_t seen_observers = 0;

  [[nodiscard]] bool is_idle() const noexcept { return running == &outside; }

  // Made at the first call. Throws std::bad_alloc.
  [[nodiscard]] thread_vertices& vertices();

  [[nodiscard]] std::uint32_t next_random() noexcept {  // xorshift
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return random;
  }

 private:
  std::unique_ptr<thread_vertices> vertices_;
};

// Where a thread sits, to be put back after it has sat elsewhere.
class kept_seat {
 public:
  explicit kept_seat(const participant& me) noexcept
      : in_(me.in),
        at_(me.at),
        index_(me.index),
        seen_observers_(me.seen_observers),
        is_worker_(me.is_worker) {}
  void put_back(participant& me) const noexcept {
    me.in = in_;
    me.at = at_;
    me.index = index_;
    me.seen_observers = seen_observers_;
    me.is_worker = is_worker_;
  }

 private:
  work_arena* in_;
  seat* at_;
  d1::slot_id index_;
  std::uint64_t seen_observers_;
  bool is_worker_;
};

// A name for the assembly below.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local participant*
    current_participant __asm__("heist_v0_tbb_current_participant");

// The caller's, which is made at the first call. Throws std::bad_alloc then. After
// anything that may have run a task, which may have been suspended and continued on another thread,
// self_afresh() must be called instead.
participant& make_participant();
[[nodiscard]] participant* read_current_participant() noexcept;  // never inlined
// Ends the caller's, if there is one; the next call of the library makes a new one. False: it is in
// a task, or a worker.
bool end_idle_participant() noexcept;
[[nodiscard]] inline participant& self() {
  participant* const p = current_participant;
  return p != nullptr ? *p : make_participant();
}
[[nodiscard]] inline participant& self_afresh() noexcept {
  participant* p = nullptr;
#if defined(__x86_64__)
  // Volatile: so that no compiler keeps the address that another thread's variable had.
  asm volatile("movq heist_v0_tbb_current_participant@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0"
               : "=r"(p));
#else
  p = read_current_participant();
#endif
  return *p;
}

}  // namespace heist::inline v0::libtbb
