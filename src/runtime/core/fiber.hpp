// A fiber: a stack, the slots of the forks that run on it, and where it continues.
//
// One mapping holds, from low to high addresses: the guard, the stack (grows down), the fiber
// object itself, the job slots (grow up). Stack and slots begin in the same place, so a fiber that
// does little touches two pages.
//
// Who touches what. A running fiber belongs to its worker. A suspended one belongs to the one that
// ends its wait: exactly one, since it takes an exchange on the state that the fiber waits for
// (rendezvous.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heist/detail/hot_path.hpp"
#include "heist/detail/local.hpp"
#include "heist/detail/sanitizers.hpp"
#include "heist/detail/spawn_path.hpp"
#include "heist/detail/waiting.hpp"
#include "platform/overflow.hpp"
#include "platform/stack_memory.hpp"
#include "runtime/core/exception_globals.hpp"

#if HEIST_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace heist::inline v0::detail {

class pool_impl;
struct worker;
struct older_slots;  // slots.hpp
struct root;
struct strand;
class job_frame;       // src/tasks/job_frame.hpp
class detached_drain;  // src/tasks/detached_task.cpp
class running_task;    // src/tasks/task_group.cpp

struct fiber : fiber_front {
  using entry = void (*)(void* self) noexcept;

  fiber() noexcept { array = this; }

  platform::stack_memory stack{};
  platform::guard_handle guard{};
  char* slots = nullptr;        // its own
  local<position> depth{0};     // while suspended: where its deque lies when it resumes
  local<fiber*> next{nullptr};  // in a free list, a mailbox or the injection queue
  pool_impl* pool = nullptr;
  entry begin = nullptr;
  local<worker*> home{nullptr};    // a stalling join: the only worker that may resume it
  exception_globals exceptions{};  // while it is suspended in a handler, else empty

  older_slots* older = nullptr;
  std::atomic<std::uint32_t> users{1};  // of its own slots: itself while it lives, and others
  int priority = 0;                     // with which its forks enter a shared queue
  // While it is suspended: worker::serves, and whether it counts in worker::stalled.
  local<const root*> serves{nullptr};
  local<bool> is_stalled{false};
  local<bool> is_serial{false};  // under policy::serial
  strand* measured = nullptr;    // made by strands.cpp, of a measured pool
  // The innermost ones on it (src/tasks/fiber_scoped.hpp).
  job_frame* frame = nullptr;
  detached_drain* drain = nullptr;
  running_task* group_task = nullptr;
  bool calls_awaited = false;  // what begins now is called by who waits for it (run_one_of)
  bool runs_root = false;      // the function of a root, and not in a call of run_one_of
  // To be called when that has returned: ends what it has begun on its fiber (job_frame.hpp).
  void (*at_end_of_root)(fiber& here) noexcept = nullptr;

  // For those who ask why a program hangs (wait_graph.hpp, scripts/heist-gdb.py). The wait for
  // which it is suspended, and the state that ends it; the state that is settled when the job or
  // root that it runs has ended, nullptr in the child of a spawn.
  awaited awaits{wait_kind::none};
  const rendezvous* awaited_state = nullptr;
  const rendezvous* ends = nullptr;

  // For traces (tracing.hpp): the region that it is in, and while it waits the wait's number (else
  // 0) and the lane where that began.
  std::uint32_t region = 0, traced_wait = 0, traced_lane = 0;

  // For the sanitizers; unused otherwise.
  bool child_ended = false;  // call_fiber
  void* tsan_context = nullptr;
  unsigned tsan_rewinds = 0;     // of that context
  fiber* tsan_thread = nullptr;  // the native fiber of the thread on which it was resumed
  void* asan_fake_stack = nullptr;
  const void* asan_bottom = nullptr;
  std::size_t asan_size = 0;
};

// Tells ThreadSanitizer, for which a switch synchronises nothing, that a fiber's own fields go from
// one flow of control to another: hand_over() when it suspends or is made ready, take_over() by
// the one that resumes it.
inline void hand_over([[maybe_unused]] fiber& f) noexcept {
#if HEIST_TSAN
  __tsan_release(&f);
#endif
}
inline void take_over([[maybe_unused]] fiber& f) noexcept {
#if HEIST_TSAN
  __tsan_acquire(&f);
#endif
}

// Makes a fiber that will run begin(&fiber) (fiber_main in loop.hpp); nullptr, with errno set, when
// the system has no stack for it. `slots` includes the spare one.
fiber* make_fiber(pool_impl& pool, fiber::entry begin, std::size_t stack_size,
                  std::size_t slots) noexcept;
void destroy_fiber(fiber* f) noexcept;

// Makes a recycled fiber ready to start from the beginning.
void rewind(fiber& f) noexcept;

// Gives the stack below its last frames back to the system.
void trim(fiber& f) noexcept;

}  // namespace heist::inline v0::detail
