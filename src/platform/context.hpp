// Switching between stacks: the few instructions that suspend one fiber and resume another.
//
// A context that doesn't run is one pointer: its stack pointer, below which its registers are
// saved. What is saved, what isn't and why stands as a table in each context_*.S; the layout is
// known only there. Elsewhere context_boost.cpp gives the same two functions on top of
// Boost.Context.
//
// What is not here: annotations for sanitizers (the fiber does them, it knows the stacks' bounds),
// the thread's exception globals (likewise), signal masks (a switch makes no system call), and
// shadow stacks (CET SHSTK, AArch64 GCS): a return to another stack's address is what they forbid.
// The objects are not marked for them, so the linker leaves them off.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heist/detail/visibility.hpp"

// The names carry the version because two versions may be linked into one program. Hidden in the
// shared library, except the last, which an inlined spawn calls.
extern "C" {
HEIST_HIDDEN void* heist_v0_context_switch(void** from_sp, void* to_sp, void* payload) noexcept;
HEIST_HIDDEN void* heist_v0_context_make(void* stack_top, void (*entry)(void* payload)) noexcept;
HEIST_API void* heist_v0_context_call(void* argument, void* stack_top, std::uint64_t number,
                                      void (*function)(void* argument, void* stack_top,
                                                       std::uint64_t number),
                                      void** from_sp, std::uint64_t float_modes) noexcept;
}

namespace heist::inline v0::platform {

// What a fresh context runs. It must not return and must not let an exception out; it leaves by a
// last switch. (In the assembly a return hits a trap instruction: SIGILL or SIGTRAP, not silent
// corruption.)
using context_entry = void (*)(void* payload);

// Suspends the running context, stores its stack pointer to `from_sp`, and resumes `to_sp`, which
// must come from make_context or from an earlier switch, and can be used once. Returns, when
// somebody switches back, the payload that they gave. The store to `from_sp` happens before
// anything of the target runs, on the same thread; the one that hands the pointer to another thread
// publishes it with their own release. Cost: a few nanoseconds (tests/unit/platform prints it).
//
// After it the thread may be another. Compilers don't know: what glibc declares const
// (pthread_self, and with it std::this_thread::get_id; the address of errno or of any thread_local)
// may be one that was computed before the switch. Fetch such things in a function that isn't
// inlined.
//
// The entry's last switch should be an ordinary call, not a tail call (__builtin_unreachable()
// after it does): otherwise the returns in the context that is resumed are mispredicted, 20 ns in
// our measurement.
//
// noexcept holds: no exception crosses a switch. pthread_cancel's forced unwinding inside a fiber
// ends at its entry.
inline void* switch_context(void** from_sp, void* to_sp, void* payload) noexcept {
  return heist_v0_context_switch(from_sp, to_sp, payload);
}

#if defined(_WIN32)
// Windows dispatches no exception outside the bounds of the running stack, which it takes from the
// thread's environment block (TEB): so a switch sets them too. It finds them in the 16 bytes below
// the top of a stack: the lowest usable address, and the one that Windows takes for the lowest
// reserved one, so near that a touched guard page is the last (windows/stack_memory.cpp).
inline constexpr std::size_t overflow_reserve_bytes = 36 * 1024;
inline void note_stack_bounds(std::byte* stack_top, std::byte* lowest) noexcept {
  auto** const top = reinterpret_cast<std::byte**>(reinterpret_cast<std::uintptr_t>(stack_top) &
                                                   ~std::uintptr_t{15});
  top[-2] = lowest;
  top[-1] = lowest - overflow_reserve_bytes;
}
#else
inline void note_stack_bounds(std::byte*, std::byte*) noexcept {}  // nobody else wants to know
#endif

// Prepares the stack from `lowest` to `stack_top` (exclusive; any alignment) so that the first
// switch to the returned pointer calls entry(payload) on it. Floating-point control (rounding,
// masked exceptions) is the caller's at this moment, as in a call. A backtrace from inside ends at
// the entry. Touches less than 400 bytes below the top; allocates nothing.
[[nodiscard]] inline void* make_context(std::byte* stack_top, std::byte* lowest,
                                        context_entry entry) noexcept {
  note_stack_bounds(stack_top, lowest);
  return heist_v0_context_make(stack_top, entry);
}

// Calls function(argument, stack_top, number) on the stack that ends at `stack_top`, a multiple of
// 16, and returns nullptr when it returns. make_context has been called for that top at least once.
// Meanwhile the caller's context is suspended as by switch_context, with the same promise about
// `from_sp`: the one that has it may switch to it instead, once; then this returns their payload,
// and the function must never return. Cheaper than a fresh context and two switches: nothing is
// prepared, nothing saved on the way back, and the processor's stack of return addresses stays
// right. A backtrace from inside ends at the function.
inline void* call_on_stack(void** from_sp, void* stack_top,
                           void (*function)(void* argument, void* stack_top, std::uint64_t number),
                           void* argument, std::uint64_t number) noexcept {
  return heist_v0_context_call(argument, stack_top, number, function, from_sp, 0);
}

}  // namespace heist::inline v0::platform
