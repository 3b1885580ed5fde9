// The asymmetric barrier on macOS, which has no membarrier(2). What it promises: barrier.hpp.
//
// The kernel is asked for the registers of each thread named. To read them it takes a running
// thread off its processor, which is a barrier for that thread; one that doesn't run passed a
// barrier when it left its processor. .NET's runtime flushes other threads' store buffers in the
// same way. Threads are named by their Mach ports (thread.cpp). It is the only kind there is.
#include "platform/barrier.hpp"

#include <mach/mach.h>
#include <mach/thread_state.h>

#include <array>
#include <string>

#include "heist/error.hpp"
#include "platform/once.hpp"
#include "platform/process.hpp"
#include "platform/thread.hpp"

namespace heist::inline v0::platform {

namespace {

void interrupt(pid_t thread) noexcept {
  std::uintptr_t stack_pointer = 0;
  std::array<std::uintptr_t, 128> values;
  std::size_t length = values.size();
  // A thread that has ended is refused, and counts.
  (void)::thread_get_register_pointer_values(static_cast<thread_t>(thread), &stack_pointer, &length,
                                             values.data());
}

}  // namespace

barrier_kind parse_barrier_kind(std::string_view text) {
  if (text == "registers") return barrier_kind::signal;
  throw usage_error("HEIST_BARRIER=" + std::string(text) + ": not registers");
}

std::string_view name_of(barrier_kind) noexcept { return "registers"; }

asymmetric_barrier& asymmetric_barrier::instance() {
  static constinit asymmetric_barrier only;
  static constinit once_flag made;
  made.call([] {
    if (const char* const text = environment_variable("HEIST_BARRIER"))
      static_cast<void>(parse_barrier_kind(text));
    only.kind_.store(barrier_kind::signal, std::memory_order_relaxed);
  });
  return only;
}

barrier_kind asymmetric_barrier::kind() const noexcept {
  return kind_.load(std::memory_order_relaxed);  // see the field
}

void asymmetric_barrier::admit_this_thread() const noexcept {
}  // any thread's registers can be read

void asymmetric_barrier::heavy_barrier(std::span<const pid_t> tids) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const pid_t self = thread_id();
  for (const pid_t& place : tids) {
    const pid_t tid = __atomic_load_n(&place, __ATOMIC_RELAXED);  // it may change (barrier.hpp)
    if (tid != self) interrupt(tid);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void set_barrier_kind_for_test(std::optional<barrier_kind>) {}

}  // namespace heist::inline v0::platform
