// The atomics seam: the one place that says what an atomic is.
//
// Everything under deque/ takes its atomics, its fences and its 16-byte word from a Seam type.
// Programs leave the default, std_atomics. Model tests give Relacy's types with the same members,
// so that the very same protocol code is explored. A seam has:
//
//   atomic<T>          load, store, compare_exchange_*, with std's meaning
//   wide_word<State>   a State in 16 bytes, see below
//   light_barrier()    the owner's half of the asymmetric barrier: orders a store before a later
//                      load against a thread that runs the heavy half in between. In the product a
//                      compiler barrier; in models, which know no heavy half, a seq_cst fence.
//   full_fence()       a seq_cst fence, for the order of a store and a later load. ThreadSanitizer
//                      doesn't know fences: what one thread hands to another is carried by release
//                      and acquire on atomics, never by this.
//   store_and_fence(a, v)  may be there: a release store of v to a and a full fence at once, for
//                      bounded_ring's pop
//   new_slots<T>(n)    an array of n atomic<T>, each T{}; nullptr if the system refuses the memory
//   free_slots(p, n)   gives it back
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "heist/detail/requirements.hpp"
#include "heist/detail/sanitizers.hpp"

#if HEIST_TSAN && defined(__clang__)
#include <sanitizer/tsan_interface_atomic.h>
#endif

namespace heist::inline v0::deque {

template <class State>
class wide_word;

// The default of each Seam: std's atomics.
struct std_atomics {
  // The types of the variables: atomic, of one word, and wide_word, of two that change together.
  template <class T>
  using atomic = std::atomic<T>;
  template <class State>
  using wide_word = deque::wide_word<State>;

  // Keeps the compiler, not the processor, from moving accesses across it.
  static void light_barrier() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

  // A full barrier: a store before it is seen by others before a load after it is made.
  static void full_fence() noexcept {
#if defined(__x86_64__)
    // A locked instruction on a line that is in the cache: clang emits mfence, which takes longer.
    // Below the return address, which the caller has just stored or is about to load.
    asm volatile("lock orl $0, -64(%%rsp)" ::: "memory", "cc");
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  }

  // An array of n slots, each T(); nullptr if there is no memory. free_slots gives it back.
  template <class T>
  static std::atomic<T>* new_slots(std::size_t n) noexcept {
    return new (std::nothrow) std::atomic<T>[n]();
  }
  // Gives back what new_slots has made.
  template <class T>
  static void free_slots(std::atomic<T>* slots, std::size_t) noexcept {
    delete[] slots;
  }
};

// The two halves of a wide_word.
struct packed_words {
  std::uint64_t low;   // the half at the lower address
  std::uint64_t high;  // the half at the higher address
};

// A State of 16 bytes that changes only as a whole, by compare_exchange, and is read in halves: a
// 16-byte atomic load is a locked instruction or a library call, and the owner's pop, which needs
// one half only, must cost neither. State says how it packs:
//
//   packed_words pack() const;  static State unpack(packed_words);
//
// load() reads the low half, then the high one; they may be of two different moments. That is
// enough where a compare_exchange follows, which a mixture can't pass unless it is the current
// value, or where what is decided on lies in one half.
//
// Mixed sizes (8-byte loads, 16-byte exchange on one address) are outside the C++ model, and
// defined by x86 (any access within one aligned 8 bytes is single-copy atomic, a locked operation
// is one event for all of them) and by AArch64 (likewise for a store-exclusive pair or CASP).
template <class State>
class alignas(16) wide_word {
 public:
  // The word begins as s.
  constexpr explicit wide_word(State s) noexcept : low_(s.pack().low), high_(s.pack().high) {}
  wide_word(const wide_word&) = delete;
  wide_word& operator=(const wide_word&) = delete;

  // Acquire on the low half; the high one is control information only.
  [[nodiscard]] State load() const noexcept {
    const std::uint64_t low = __atomic_load_n(&low_, __ATOMIC_ACQUIRE);
    const std::uint64_t high = __atomic_load_n(&high_, __ATOMIC_ACQUIRE);
    return State::unpack({low, high});
  }

  // Whether the low half is (still) that of s. Acquire: as load().
  [[nodiscard]] bool has_low(State s) const noexcept {
    return __atomic_load_n(&low_, __ATOMIC_ACQUIRE) == s.pack().low;
  }

  // The high half alone. Relaxed: each caller says why.
  [[nodiscard]] std::uint64_t high() const noexcept {
    return __atomic_load_n(&high_, __ATOMIC_RELAXED);
  }

  // acq_rel when it succeeds; when it fails, it promises nothing and the caller loads again.
  bool compare_exchange(State expected, State desired) noexcept {
    const packed_words from = expected.pack();
    const packed_words to = desired.pack();
#if HEIST_TSAN && defined(__clang__)
    const auto wide = [](packed_words p) {
      return static_cast<__tsan_atomic128>(p.high) << 64 | static_cast<__tsan_atomic128>(p.low);
    };
    __tsan_atomic128 old = wide(from);
    return __tsan_atomic128_compare_exchange_strong(reinterpret_cast<__tsan_atomic128*>(this), &old,
                                                    wide(to), __tsan_memory_order_acq_rel,
                                                    __tsan_memory_order_relaxed) != 0;
#elif defined(__x86_64__) && !HEIST_TSAN
    // Every x86-64 processor since 2006 has cmpxchg16b. It is inline assembly because the compilers
    // emit a call to libatomic unless the whole program is built with -mcx16.
    bool ok;
    std::uint64_t low = from.low;
    std::uint64_t high = from.high;
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(ok), "+m"(*this), "+a"(low), "+d"(high)
                 : "b"(to.low), "c"(to.high)
                 : "memory");
    return ok;
#elif defined(__aarch64__) && !HEIST_TSAN
    std::uint64_t low;
    std::uint64_t high;
    std::uint32_t refused;
    do {
      asm volatile("ldaxp %0, %1, %2" : "=&r"(low), "=&r"(high) : "Q"(*this) : "memory");
      if (low != from.low || high != from.high) {
        asm volatile("clrex" ::: "memory");
        return false;
      }
      asm volatile("stlxp %w0, %2, %3, %1"
                   : "=&r"(refused), "+Q"(*this)
                   : "r"(to.low), "r"(to.high)
                   : "memory");
    } while (refused != 0);
    return true;
#else
    // This is also for g++ under ThreadSanitizer, which makes it a call of the sanitizer.
    unsigned __int128 old = static_cast<unsigned __int128>(from.high) << 64 | from.low;
    const unsigned __int128 wanted = static_cast<unsigned __int128>(to.high) << 64 | to.low;
    return __atomic_compare_exchange_n(reinterpret_cast<unsigned __int128*>(this), &old, wanted,
                                       false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
#endif
  }

  // The offset of the high half, for the fast path's assembly.
  static constexpr std::size_t high_offset = 8;

 private:
  std::uint64_t low_;
  std::uint64_t high_;
};

}  // namespace heist::inline v0::deque
