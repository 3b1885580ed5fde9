// What an inlined fork and join touch: the running thread's split_control and its slots.
//
// The control of a worker's deque lies in thread-local storage, so that the fast path reaches every
// field with one instruction and no pointer. Other threads steal through its address. A thread
// outside any pool has one too, which begins with limit 0 and capacity 0: its first fork takes the
// slow path and enters the default pool, without a test for that on the fast path. Until then it
// writes to one common slot, which nobody reads.
//
// After any call that can suspend, the thread may be another one, so no address of a thread-local
// may be kept across such a call. Compilers assume that they may keep it. Therefore:
//
//   x86-64     Each access is one volatile instruction relative to %fs.
//   AArch64    No instruction adds the thread pointer to an address, so volatile assembly computes
//              the control's address in a register, and the accesses are the C++ of split_control.
//   Windows    The same; there the address takes three loads. g++'s own thread_local would be a
//              call of __emutls_get_address for each (docs/adr/0016-other-systems.md).
//   elsewhere, and under ThreadSanitizer, which has to see the accesses: the same C++, with the
//              address from a function that is not inlined.
//
// here() is for several accesses between which nothing can suspend: where there is an address, they
// share one. docs/memory_model.md has the order of each access, and why each processor keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heist/deque/atomics.hpp"
#include "heist/deque/split_control.hpp"
#include "heist/detail/export.hpp"
#include "heist/detail/job.hpp"

#if (defined(__x86_64__) || defined(__aarch64__)) && !HEIST_TSAN && !defined(__APPLE__)
#define HEIST_TLS_ASM 1
#else
#define HEIST_TLS_ASM 0
#endif

// In a program a thread-local's offset is known when it is linked; a shared object loads it from
// its GOT.
#if defined(__PIC__) && !defined(__PIE__) || defined(HEIST_SHARED)
#define HEIST_TLS_IN_GOT 1
#else
#define HEIST_TLS_IN_GOT 0
#endif

// AArch64: sets [address] to that of the thread-local with this name in assembly, which has
// initial-exec storage (in a program within 16 MiB of the thread pointer); overwrites [offset]. The
// statement must be volatile and clobber memory: then no compiler merges two of them, or moves one
// across a call.
#if HEIST_TLS_ASM && defined(__aarch64__)
// clang-format 14 would break the strings into single words.
// clang-format off
#if HEIST_TLS_IN_GOT
#define HEIST_TLS_ADDRESS(name)                                    \
  "adrp %[offset], :gottprel:" name "\n\t"                         \
  "ldr %[offset], [%[offset], :gottprel_lo12:" name "]\n\t"        \
  "mrs %[address], tpidr_el0\n\t"                                  \
  "add %[address], %[address], %[offset]"
#else
#define HEIST_TLS_ADDRESS(name)                                    \
  "mrs %[address], tpidr_el0\n\t"                                  \
  "add %[address], %[address], #:tprel_hi12:" name ", lsl #12\n\t" \
  "add %[address], %[address], #:tprel_lo12_nc:" name
#endif
// clang-format on
#endif

// Windows: the thread's array of modules' blocks, this module's block, the offset in it. The object
// of that name is the template from which the loader makes each thread's own.
#if HEIST_TLS_ASM && defined(_WIN32)
#define HEIST_TLS_ADDRESS(name)                   \
  "movl _tls_index(%%rip), %k[offset]\n\t"        \
  "movq %%gs:0x58, %[address]\n\t"                \
  "movq (%[address],%[offset],8), %[address]\n\t" \
  "leaq " name "@secrel32(%[address]), %[address]"
#endif

namespace heist::inline v0::detail {

using control = deque::split_control<deque::std_atomics, sizeof(job)>;
using position = control::position;
static_assert(offsetof(control, word) == control::distance);
static_assert(alignof(control) == control::alignment, "see control::alignment");

// Defined in the library. Initial-exec: a fixed offset from the thread pointer.
#if !defined(_WIN32)
extern HEIST_API constinit thread_local control this_control asm("heist_v0_control")
    __attribute__((tls_model("initial-exec")));
#endif

// The running thread's control. The compiler never keeps the address that it returns.
HEIST_API control& current_control() noexcept;

#if HEIST_TLS_ASM && defined(__x86_64__) && !defined(_WIN32)

#if HEIST_TLS_IN_GOT
#define HEIST_TLS_BASE "movq heist_v0_control@gottpoff(%%rip), %q[base]\n\t"
#define HEIST_TLS_FIELD "%%fs:%c[offset](%q[base])"
#define HEIST_TLS_SCRATCH [base] "=&r"(base)
#define HEIST_TLS_AND_SCRATCH , [base] "=&r"(base)
#else
#define HEIST_TLS_BASE ""
#define HEIST_TLS_FIELD "%%fs:heist_v0_control@tpoff+%c[offset]"
#define HEIST_TLS_SCRATCH
#define HEIST_TLS_AND_SCRATCH
#endif

static_assert(offsetof(control, head) == 0);

// A position in a register of 64 bits whose upper half is 0: as part of an address it then needs no
// widening.
using wide_position = std::uint64_t;

// The "memory" clobbers are the compiler's half of the orders in split_control; x86 gives the rest:
// its stores are releases, its loads acquires.
struct hot_path {
  [[gnu::always_inline]] static hot_path here() noexcept { return {}; }

  [[gnu::always_inline]] static wide_position depth() noexcept {
    wide_position h;
    [[maybe_unused]] std::uint64_t base;
    asm volatile(HEIST_TLS_BASE "movq " HEIST_TLS_FIELD ", %[h]"
                 : [h] "=&r"(h)HEIST_TLS_AND_SCRATCH
                 : [offset] "i"(offsetof(control, head))
                 : "memory");
    return h;
  }
  [[gnu::always_inline]] static job& slot(wide_position h) noexcept {
    char* seat;
    [[maybe_unused]] std::uint64_t base;
    asm volatile(HEIST_TLS_BASE "movq " HEIST_TLS_FIELD ", %[seat]"
                 : [seat] "=&r"(seat)HEIST_TLS_AND_SCRATCH
                 : [offset] "i"(offsetof(control, seat))
                 : "memory");
    return *reinterpret_cast<job*>(seat + h);
  }
  [[gnu::always_inline]] static void publish(wide_position h) noexcept {
    set_head(h + sizeof(job));
  }

  [[gnu::always_inline]] static bool asked(wide_position h) noexcept {
    bool yes;
    [[maybe_unused]] std::uint64_t base;
    asm volatile(HEIST_TLS_BASE "cmpl " HEIST_TLS_FIELD ", %k[h]"
                 : "=@ccae"(yes)HEIST_TLS_AND_SCRATCH
                 : [h] "r"(h), [offset] "i"(offsetof(control, limit))
                 : "memory");
    return yes;
  }
  // `first` is the result of the call before, which must survive the comparison. clang moves it to
  // a callee-saved register of its own right after the call. If it is held in rax until the
  // comparison is done, it can have the register that held h. That is one register less to save and
  // restore in every call.
  template <class T>
  [[gnu::always_inline]] static bool take_private(wide_position h,
                                                  [[maybe_unused]] T& first) noexcept {
#if defined(__clang__)
    // A value of 128 bits takes two registers, and rax is only one.
    if constexpr ((std::is_integral_v<T> || std::is_pointer_v<T>)&&sizeof(T) <= sizeof(void*)) {
      set_head(h);
      bool yes;
      [[maybe_unused]] std::uint64_t base;
      asm volatile(HEIST_TLS_BASE "cmpl " HEIST_TLS_FIELD ", %k[h]"
                   : "=@ccae"(yes), "+a"(first)HEIST_TLS_AND_SCRATCH
                   : [h] "r"(h), [offset] "i"(offsetof(control, word) +
                                              deque::wide_word<control::state>::high_offset)
                   : "memory");
      return yes;
    }
#endif
    return take_private(h);
  }
  [[gnu::always_inline]] static bool take_private(wide_position h) noexcept {
    set_head(h);
    bool yes;
    [[maybe_unused]] std::uint64_t base;
    asm volatile(HEIST_TLS_BASE "cmpl " HEIST_TLS_FIELD ", %k[h]"
                 : "=@ccae"(yes)HEIST_TLS_AND_SCRATCH
                 : [h] "r"(h), [offset] "i"(offsetof(control, word) +
                                            deque::wide_word<control::state>::high_offset)
                 : "memory");
    return yes;
  }

  // The position below which no item is private.
  [[gnu::always_inline]] static wide_position bound() noexcept {
    wide_position b;
    [[maybe_unused]] std::uint64_t base;
    asm volatile(
        HEIST_TLS_BASE "movl " HEIST_TLS_FIELD ", %k[b]"
        : [b] "=&r"(b)HEIST_TLS_AND_SCRATCH
        : [offset] "i"(offsetof(control, word) + deque::wide_word<control::state>::high_offset)
        : "memory");
    return b;
  }

 private:
  [[gnu::always_inline]] static void set_head(wide_position h) noexcept {
    [[maybe_unused]] std::uint64_t base;
    asm volatile(HEIST_TLS_BASE "movq %[h], " HEIST_TLS_FIELD:HEIST_TLS_SCRATCH
                 : [h] "r"(h), [offset] "i"(offsetof(control, head))
                 : "memory");
  }
};

#undef HEIST_TLS_BASE
#undef HEIST_TLS_FIELD
#undef HEIST_TLS_SCRATCH
#undef HEIST_TLS_AND_SCRATCH

#else

using wide_position = position;

// Never the address of an earlier call: the compiler doesn't know that it could be the same.
[[gnu::always_inline]] inline control& running_control() noexcept {
#if HEIST_TLS_ASM
  control* c;
  [[maybe_unused]] std::uint64_t offset;
  asm volatile(HEIST_TLS_ADDRESS("heist_v0_control")
               : [address] "=&r"(c), [offset] "=&r"(offset)
               :
               : "memory");
  return *c;
#else
  return current_control();
#endif
}

// The running thread's accesses, until the next call that can suspend. Their orders are those of
// split_control. On AArch64 the stores of the head are stlr, since both are releases, and the loads
// are ldr, since all are relaxed. The light barriers are none: the processor may perform the loads
// of limit and bound before the stores of the head, and the heavy barrier is what it can't cross.
class hot_path_here {
 public:
  [[gnu::always_inline]] hot_path_here() noexcept : c_(running_control()) {}

  [[gnu::always_inline]] wide_position depth() const noexcept { return c_.depth(); }
  [[gnu::always_inline]] job& slot(wide_position h) const noexcept {
    // Relaxed: only the owner writes it.
    return *reinterpret_cast<job*>(c_.seat.load(std::memory_order_relaxed) + h);
  }
  [[gnu::always_inline]] void publish(wide_position h) const noexcept { c_.publish(h); }
  [[gnu::always_inline]] bool asked(wide_position h) const noexcept { return c_.asked(h); }
  [[gnu::always_inline]] bool take_private(wide_position h) const noexcept {
    return c_.take_private(h);
  }
  [[gnu::always_inline]] wide_position bound() const noexcept {
    return static_cast<position>(c_.word.high());
  }

 private:
  control& c_;
};

struct hot_path {
  [[gnu::always_inline]] static hot_path_here here() noexcept { return {}; }

  [[gnu::always_inline]] static wide_position depth() noexcept { return here().depth(); }
  [[gnu::always_inline]] static job& slot(wide_position h) noexcept { return here().slot(h); }
  [[gnu::always_inline]] static void publish(wide_position h) noexcept { here().publish(h); }
  [[gnu::always_inline]] static bool asked(wide_position h) noexcept { return here().asked(h); }
  [[gnu::always_inline]] static bool take_private(wide_position h) noexcept {
    return here().take_private(h);
  }
  template <class T>
  [[gnu::always_inline]] static bool take_private(wide_position h, T&) noexcept {
    return take_private(h);
  }
};

#endif

// The running thread's control, for use before anything that can suspend.
[[gnu::always_inline]] inline control& control_for_now() noexcept {
#if defined(_WIN32)
  return running_control();
#else
  return this_control;
#endif
}

// To be called when the request word shows a request, outside of a fork: if an urgent root waits at
// the pool's entry the caller gives it its turn, and may be on another thread afterwards (T3 in
// src/runtime/core/turns.hpp).
[[gnu::cold]] HEIST_API void look_at_entry() noexcept;

}  // namespace heist::inline v0::detail
