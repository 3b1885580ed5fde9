// What an inlined spawn touches: the fronts of the worker and of the two fibers. Their other
// members are known to the library only.
//
// The usual spawn takes a stack that an earlier child has left ready (worker_front::spares), and
// needs nothing else that could be missing; unusual spawns go to the library (scope_impl.hpp). The
// library keeps no stack ready where a spawn must not be inlined: in pools whose spawns push
// children, and in builds with sanitizers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "heist/detail/export.hpp"
#include "heist/detail/hot_path.hpp"
#include "heist/detail/local.hpp"

// A function of the runtime (src/platform/context.hpp), declared here since inlined code calls it.
extern "C" {
HEIST_API void* heist_v0_context_call(void* argument, void* stack_top, std::uint64_t number,
                                      void (*function)(void* argument, void* stack_top,
                                                       std::uint64_t number),
                                      void** from_sp, std::uint64_t float_modes) noexcept;
}

namespace heist::inline v0::detail {

class left_work;
class scope_state;
struct fiber;
struct view_node;

// The function that runs a child: it moves the closure to its own stack, pushes the spawner's
// entry, calls the closure, and takes the entry back. It returns if the child may return to its
// spawner, and never throws. `self`: the child's fiber; `place`: the position of the entry.
using child_function = void (*)(void* closure, void* self, std::uint64_t place);

// What a child knows about its spawn.
struct spawned {
  child_function main = nullptr;  // set, as closure, only if the child begins by a switch
  void* closure = nullptr;  // on the spawner's stack; moved from before the spawner can be stolen
  scope_state* scope = nullptr;
  std::uint64_t key = 0;  // its place among the scope's children
  fiber* spawner = nullptr;
  fiber* array = nullptr;  // in whose slots the spawner's entry lies
  position depth = 0;      // of that entry; set only if the child begins by a switch
};

// The first part of a fiber.
struct fiber_front {
  void* sp = nullptr;  // while it doesn't run
  // The fiber whose slots it uses: itself, its spawner, or a fiber that has ended and left them to
  // it (slots.hpp). What it pushed there lies at `from` or above; a child's own entries lie above
  // its spawner's, at which its `from` begins.
  fiber* array = nullptr;
  position from = 0;
  bool adopted = false;
  std::uintptr_t stalls = 0;  // 1 under policy::stalling: all its joins and waits stall
  // Used while it is one of a worker's spares, and while it is the child that was the newest of
  // them.
  fiber* next_spare = nullptr;
  unsigned older_spares = 0;
  view_node* views = nullptr;  // of reducers; what they stand for: views.hpp
  spawned task{};
  left_work* left = nullptr;  // the innermost one (src/tasks/left_work.hpp)
};

// The beginning of the image of a context that was suspended by a call: on x86-64 its
// floating-point control words. Elsewhere heist_v0_context_call has no use for them.
inline std::uint64_t image_begin([[maybe_unused]] const void* sp) noexcept {
#if defined(__x86_64__)
  // The words are loaded as they were stored: one load of both would wait for both stores.
  std::uint32_t mxcsr;
  std::uint16_t x87;
  std::memcpy(&mxcsr, sp, sizeof(mxcsr));
  std::memcpy(&x87, static_cast<const char*>(sp) + sizeof(mxcsr), sizeof(x87));
  return mxcsr | std::uint64_t{x87} << 32;
#else
  return 0;
#endif
}

inline fiber_front& front_of(fiber* f) noexcept { return *reinterpret_cast<fiber_front*>(f); }

// The thread's stack of caught and count of uncaught exceptions, as the Itanium C++ ABI (2.2.2)
// lays them out.
struct exceptions_of_thread {
  void* caught;
  unsigned uncaught;
};

// The first part of a worker.
struct worker_front {
  static constexpr unsigned max_spares = 8;

  // The fiber that it runs.
  local<fiber*> current{nullptr};
  const exceptions_of_thread* exceptions = nullptr;  // constant
  // Stacks of children that returned to their spawner, ready for the next child, the newest first.
  // They count as in use.
  local<fiber*> spares{nullptr};
  // Relaxed: other threads read it for reports. An inlined spawn doesn't lower it, so it counts the
  // stacks of such children too; it can also be wrong until the worker finds no work
  // (recount_spares).
  std::atomic<unsigned> spare_count{0};
  // How many workers its pool has; 1 when no other is left (stay_alone).
  local<unsigned> workers{1};
};

// The worker that runs the caller, or nullptr.
#if !defined(_WIN32)
extern HEIST_API constinit thread_local worker_front* this_thread_worker asm("heist_v0_worker")
    __attribute__((tls_model("initial-exec")));
#endif

// Never inlined: see hot_path.hpp about addresses of thread-locals.
HEIST_API worker_front* this_worker_front_call() noexcept;

// this_thread_worker, read anew by each call, without one.
#if defined(HEIST_TLS_ADDRESS)
[[gnu::always_inline]] inline worker_front*& place_of_this_worker() noexcept {
  worker_front** w;
  [[maybe_unused]] std::uint64_t offset;
  asm volatile(HEIST_TLS_ADDRESS("heist_v0_worker")
               : [address] "=&r"(w), [offset] "=&r"(offset)
               :
               : "memory");
  return *w;
}
[[gnu::always_inline]] inline worker_front* this_worker_front() noexcept {
  return place_of_this_worker();
}
#elif HEIST_TLS_ASM
[[gnu::always_inline]] inline worker_front* this_worker_front() noexcept {
  worker_front* w;
#if HEIST_TLS_IN_GOT
  asm volatile(
      "movq heist_v0_worker@gottpoff(%%rip), %0\n\t"
      "movq %%fs:(%0), %0"
      : "=r"(w));
#else
  asm volatile("movq %%fs:heist_v0_worker@tpoff, %0" : "=r"(w));
#endif
  return w;
}
#else
inline worker_front* this_worker_front() noexcept { return this_worker_front_call(); }
#endif

// ---- The library's part.

// To be called when a worker has continued the spawner.
HEIST_API void spawner_arrived(fiber* spawner) noexcept;
// To be called when the running child has thrown the exception that is being handled. `place`: of
// the spawner's entry. False: it threw before it pushed that.
HEIST_API bool child_threw(wide_position place) noexcept;
// Ends the running child, whose spawner's entry isn't private and lies at the deque's head. Returns
// if the child may return to it.
HEIST_API void end_public() noexcept;
// To be called when the child has returned to the spawner: gives the reducers' views back, with
// what the child added to them.
HEIST_API void give_views_back(fiber* child) noexcept;
// Makes a child that has returned a spare, or frees it if there are enough.
HEIST_API void keep_spare(fiber* child) noexcept;

}  // namespace heist::inline v0::detail
