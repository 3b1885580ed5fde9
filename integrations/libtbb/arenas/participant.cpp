#include "arenas/participant.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "arenas/arena.hpp"
#include "arenas/contexts.hpp"
#include "arenas/reference_vertices.hpp"
#include "arenas/small_objects.hpp"
#include "arenas/task_stack.hpp"

namespace heist::inline v0::libtbb {

constinit thread_local participant* current_participant = nullptr;

namespace {

// Ends the participant with its thread: after the destructors of thread_local objects, which may
// use the library. What other keys' destructors make is ended in the next round of them.
pthread_key_t make_end_of_thread() noexcept {
  pthread_key_t key;
  const auto end = [](void*) { delete std::exchange(current_participant, nullptr); };
  if (::pthread_key_create(&key, end) != 0) {
    std::fputs("heist-tbb: the process has no key for thread-specific data left\n", stderr);
    std::_Exit(1);
  }
  return key;
}

// Half of what the calling thread's stack has below here. The main thread's may be without a limit.
std::uintptr_t middle_of_stack() noexcept {
  constexpr std::size_t usual = std::size_t{8} << 20;
  constexpr std::size_t largest = std::size_t{64} << 20;
  std::size_t size = usual;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
    if (::pthread_attr_getstacksize(&attributes, &size) != 0) size = usual;
    ::pthread_attr_destroy(&attributes);
  }
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - std::min(size, largest) / 2;
}

}  // namespace

participant::participant()
    : memory(small_objects::acquire()),
      barrier(deque::heavy_barrier_target::this_thread()),
      contexts(context_list::acquire(barrier)),
      random(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) >> 6) | 1),
      native(new task_stack),
      on(native) {
  native->steals_above = middle_of_stack();
}

participant::~participant() {
  if (at != nullptr) {
    work_arena& own = *in;
    own.stand_up(*this, true);  // somebody may wait elsewhere for what it leaves
    own.keeper.release(own);
  }
  delete native;
  context_list::release(contexts);
  small_objects::release(memory);
}

thread_vertices& participant::vertices() {
  if (vertices_ == nullptr) vertices_ = std::make_unique<thread_vertices>();
  return *vertices_;
}

// Not inlined: once for a thread.
[[gnu::noinline]] participant& make_participant() {
  static const pthread_key_t end_of_thread = make_end_of_thread();
  auto* const made = new participant;
  if (::pthread_setspecific(end_of_thread, made) != 0) {
    delete made;
    throw std::bad_alloc();
  }
  current_participant = made;
  return *made;
}

bool end_idle_participant() noexcept {
  const participant* const me = current_participant;
  if (me == nullptr) return true;
  if (!me->is_idle() || me->is_worker || me->on != me->native || me->bound != nullptr) return false;
  delete std::exchange(current_participant, nullptr);
  return true;
}

[[gnu::noinline]] participant* read_current_participant() noexcept {
  participant* p = current_participant;
  asm volatile("" : "+r"(p));  // so that no compiler knows that it returns the same each time
  return p;
}

}  // namespace heist::inline v0::libtbb
