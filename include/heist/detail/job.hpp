// A job: the half of a fork that a thief may take, in one slot of 64 bytes.
//
// The slots belong to a fiber, as its stack does: position h of the deque is slot h of the fiber
// that runs. So a job never moves, a thief needs nothing but its address, and the frame that waits
// for it finds the result in place, on whichever worker it wakes up. Fork and join don't take the
// address of anything in the frame, so its variables stay in registers.
//
// Who writes what. Before the job is stolen, only the owner writes run and payload. From the
// successful steal until complete() the thief owns them. After that they belong to the frame again.
//
//   state   Pending (0) in every slot that isn't stolen: a fork doesn't initialise it. The thief is
//           the ender, the frame the waiter (rendezvous.hpp). The frame resets it afterwards.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "heist/detail/export.hpp"
#include "heist/detail/rendezvous.hpp"

namespace heist::inline v0::detail {

struct view_node;
struct open_fork;

struct alignas(64) job {
  static constexpr std::size_t payload_bytes = 40;
  static constexpr std::size_t payload_alignment = 8;

  // What state can be, besides the address of the one that waits.
  static constexpr std::uintptr_t pending = rendezvous::pending;
  static constexpr std::uintptr_t done = rendezvous::done;    // the payload holds the result
  static constexpr std::uintptr_t threw = rendezvous::threw;  // the payload holds an exception_ptr

  void (*run)(job&) noexcept;
  rendezvous state;
  union {
    job* next;         // in the pool's injection queue; guarded by its mutex
    view_node* views;  // from complete() to the join: those of the thief (views.hpp)
    open_fork* fork;   // in a measured pool, from the push to complete() (strands.hpp)
  };
  alignas(payload_alignment) std::byte payload[payload_bytes];
};
static_assert(sizeof(job) == 64 && offsetof(job, payload) == 24);

// A closure that is copied into the slot, as words: small, trivially copyable, given as an rvalue.
// Any other closure stays where the caller has it (it outlives the join), and the slot holds its
// address.
template <class G>
consteval bool fits_into_slot() {
  if constexpr (std::is_lvalue_reference_v<G> || std::is_function_v<std::remove_reference_t<G>>)
    return false;
  else
    return std::is_trivially_copyable_v<std::remove_reference_t<G>> &&
           sizeof(G) <= job::payload_bytes &&
           alignof(std::remove_reference_t<G>) <= job::payload_alignment;
}
template <class G>
inline constexpr bool copied_into_slot = fits_into_slot<G>();

// How a result of type R is stored: as itself; as a pointer for a reference; as an empty struct for
// void.
template <class R>
struct result_traits {
  using stored = R;
};
template <class R>
struct result_traits<R&> {
  using stored = R*;
};
template <class R>
struct result_traits<R&&> {
  using stored = R*;
};
template <class R>
requires std::is_void_v<R>
struct result_traits<R> {
  struct stored {};
};
template <class R>
using stored_result = typename result_traits<R>::stored;

// A result that fits is made in the payload, a larger one on the heap. Only a stolen job stores its
// result.
template <class R>
inline constexpr bool result_in_slot = sizeof(stored_result<R>) <= job::payload_bytes &&
                                       alignof(stored_result<R>) <= job::payload_alignment;

template <class R>
stored_result<R>* result_of(job& j) noexcept {
  if constexpr (result_in_slot<R>)
    return std::launder(reinterpret_cast<stored_result<R>*>(j.payload));
  else
    return *std::launder(reinterpret_cast<stored_result<R>**>(j.payload));
}

template <class R>
void destroy_result(job& j) noexcept {
  using type = stored_result<R>;
  type* const r = result_of<R>(j);
  if constexpr (result_in_slot<R>)
    r->~type();
  else
    delete r;
}

template <class R, class F>
[[gnu::always_inline]] inline stored_result<R> invoke_stored(F&& f) {
  if constexpr (std::is_void_v<R>) {
    std::forward<F>(f)();
    return {};
  } else if constexpr (std::is_reference_v<R>) {
    auto&& referred = std::forward<F>(f)();
    return __builtin_addressof(referred);
  } else {
    return std::forward<F>(f)();
  }
}

template <class R>
void keep_result(job& j, stored_result<R>&& value) {
  if constexpr (result_in_slot<R>)
    ::new (static_cast<void*>(j.payload)) stored_result<R>(std::move(value));
  else
    ::new (static_cast<void*>(j.payload)) stored_result<R>*(new stored_result<R>(std::move(value)));
}

// Ends a stolen job: `state` is done or threw. May switch to the fiber that waited, and then
// doesn't return.
HEIST_API void complete(job& j, std::uintptr_t state) noexcept;

// Called inside a handler: stores the exception in the payload.
HEIST_API void keep_exception(job& j) noexcept;

// What a thief calls. It is noexcept, since everything that the closure throws is kept for the
// join.
template <class G, class R>
void run_stolen(job& j) noexcept {
  std::uintptr_t state = job::done;
  try {
    if constexpr (copied_into_slot<G>) {
      using closure = std::remove_cv_t<std::remove_reference_t<G>>;
      alignas(closure) std::byte copy[sizeof(closure)];
      std::memcpy(copy, j.payload, sizeof(closure));
      keep_result<R>(
          j, invoke_stored<R>(static_cast<G&&>(*std::launder(reinterpret_cast<closure*>(copy)))));
    } else {
      std::remove_reference_t<G>* g;
      std::memcpy(&g, j.payload, sizeof(g));
      keep_result<R>(j, invoke_stored<R>(static_cast<G&&>(*g)));
    }
  } catch (...) {
    keep_exception(j);
    state = job::threw;
  }
  complete(j, state);
}

// The address of run_stolen. g++ would keep it in a register of its own for as long as the function
// runs, which costs a push and a pop in every call of a recursion; so the address is computed where
// it is used. On AArch64 not in shared objects, where it may have to come from the GOT.
template <class G, class R>
[[gnu::always_inline]] inline auto stolen_entry() noexcept {
#if defined(__x86_64__) && !defined(__clang__)
  void (*run)(job&) noexcept;
  asm volatile("leaq %1, %0" : "=r"(run) : "m"(*reinterpret_cast<const char*>(&run_stolen<G, R>)));
  return run;
#elif defined(__aarch64__) && !defined(__clang__) && (!defined(__PIC__) || defined(__PIE__))
  void (*run)(job&) noexcept;
  asm volatile(
      "adrp %0, %1\n\t"
      "add %0, %0, :lo12:%1"
      : "=r"(run)
      : "S"(&run_stolen<G, R>));
  return run;
#else
  return &run_stolen<G, R>;
#endif
}

// Relaxed: whatever publishes the slot orders it.
[[gnu::always_inline]] inline void put_word(job& j, std::size_t index,
                                            std::uint64_t value) noexcept {
  auto* words = reinterpret_cast<std::uint64_t*>(j.payload);
  std::atomic_ref<std::uint64_t>(words[index]).store(value, std::memory_order_relaxed);
}
// Not a loop: g++ -O2 unrolls none, and takes five instructions for each word instead of one.
template <std::size_t... Index>
[[gnu::always_inline]] inline void put_words(job& j, const std::uint64_t* words,
                                             std::index_sequence<Index...>) noexcept {
  (put_word(j, Index, words[Index]), ...);
}

// Fills a slot, with relaxed stores of atomic words, which cost as much as plain stores: all
// threads outside any pool write to one common slot that nobody reads.
template <class G, class R>
[[gnu::always_inline]] inline void fill(job& j, std::remove_reference_t<G>& g) noexcept {
  std::atomic_ref<void (*)(job&) noexcept>(j.run).store(stolen_entry<G, R>(),
                                                        std::memory_order_relaxed);
  if constexpr (!copied_into_slot<G>) {
    put_word(j, 0, reinterpret_cast<std::uintptr_t>(__builtin_addressof(g)));
  } else if constexpr (!std::is_empty_v<std::remove_reference_t<G>>) {
    constexpr std::size_t count = (sizeof(g) + 7) / 8;
    std::uint64_t words[count] = {};
    std::memcpy(words, __builtin_addressof(g), sizeof(g));
    put_words(j, words, std::make_index_sequence<count>());
  }
}

}  // namespace heist::inline v0::detail
