// What the compiler calls before each access with -fsanitize=thread, and what the headers call
// around branches (heist/detail/race.hpp).
#include <cstddef>
#include <cstdint>

#include "heist/detail/race.hpp"
#include "race/detector.hpp"
#include "race/exported.hpp"
#include "race/last_reference.hpp"
#include "race/report.hpp"

using heist::race::away;
using heist::race::detector;
using heist::race::in_heist;
using heist::race::number;
using heist::race::last_reference::is_away;

namespace {

template <std::size_t N, bool Writes>
[[gnu::always_inline]] inline void touch(void* p, std::uintptr_t by) noexcept {
  if (away > 0) return;
  detector::instance().touch<N, Writes>(number(p), by);
}

[[gnu::always_inline]] inline void touch_range(const volatile void* p, std::size_t n, bool writes,
                                               std::uintptr_t by) noexcept {
  if (away > 0 || n == 0) return;
  detector::instance().touch_range(number(p), n, by, writes);
}

void touch_atomically(const volatile void* p, std::size_t n, bool writes,
                      std::uintptr_t by) noexcept {
  if (away > 0) return;
  detector::instance().touch_atomically(number(p), n, by, writes);
}

}  // namespace

HEIST_EXPORTED void __tsan_init() {}
HEIST_EXPORTED void __tsan_func_entry(void* from) {
  if (away > 0 && is_away()) return;
  detector::instance().enter(number(from));
}
HEIST_EXPORTED void __tsan_func_exit() {
  if (away > 0 && is_away()) return;
  detector& d = detector::instance();
  d.leave();
  if (heist::race::last_reference::is_held()) heist::race::last_reference::left(d.depth());
}

#define HEIST_ACCESS(bytes)                                                                 \
  HEIST_EXPORTED void __tsan_read##bytes(void* p) { touch<bytes, false>(p, HEIST_CALLER); } \
  HEIST_EXPORTED void __tsan_write##bytes(void* p) { touch<bytes, true>(p, HEIST_CALLER); } \
  HEIST_EXPORTED void __tsan_volatile_read##bytes(void* p) {                                \
    touch_range(p, bytes, false, HEIST_CALLER);                                             \
  }                                                                                         \
  HEIST_EXPORTED void __tsan_volatile_write##bytes(void* p) {                               \
    touch_range(p, bytes, true, HEIST_CALLER);                                              \
  }                                                                                         \
  HEIST_EXPORTED void __tsan_read_write##bytes(void* p) { touch<bytes, true>(p, HEIST_CALLER); }
HEIST_ACCESS(1)
HEIST_ACCESS(2)
HEIST_ACCESS(4)
HEIST_ACCESS(8)
HEIST_ACCESS(16)

#define HEIST_UNALIGNED(bytes)                                          \
  HEIST_EXPORTED void __tsan_unaligned_read##bytes(void* p) {           \
    touch_range(p, bytes, false, HEIST_CALLER);                         \
  }                                                                     \
  HEIST_EXPORTED void __tsan_unaligned_write##bytes(void* p) {          \
    touch_range(p, bytes, true, HEIST_CALLER);                          \
  }                                                                     \
  HEIST_EXPORTED void __tsan_unaligned_volatile_read##bytes(void* p) {  \
    touch_range(p, bytes, false, HEIST_CALLER);                         \
  }                                                                     \
  HEIST_EXPORTED void __tsan_unaligned_volatile_write##bytes(void* p) { \
    touch_range(p, bytes, true, HEIST_CALLER);                          \
  }                                                                     \
  HEIST_EXPORTED void __tsan_unaligned_read_write##bytes(void* p) {     \
    touch_range(p, bytes, true, HEIST_CALLER);                          \
  }
HEIST_UNALIGNED(2)
HEIST_UNALIGNED(4)
HEIST_UNALIGNED(8)
HEIST_UNALIGNED(16)

HEIST_EXPORTED void __tsan_read_range(void* p, std::size_t n) {
  touch_range(p, n, false, HEIST_CALLER);
}
HEIST_EXPORTED void __tsan_write_range(void* p, std::size_t n) {
  touch_range(p, n, true, HEIST_CALLER);
}
// A constructor or destructor that writes what is there already changes nothing.
HEIST_EXPORTED void __tsan_vptr_update(void** p, void* value) {
  if (*p != value) touch<8, true>(p, HEIST_CALLER);
}
HEIST_EXPORTED void __tsan_vptr_read(void** p) { touch<8, false>(p, HEIST_CALLER); }
HEIST_EXPORTED void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
HEIST_EXPORTED void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

// Every order is the strongest: the run is serial.
#define HEIST_COMBINE(bits, type, name)                                                   \
  HEIST_EXPORTED type __tsan_atomic##bits##_fetch_##name(volatile type* p, type v, int) { \
    touch_atomically(p, sizeof *p, true, HEIST_CALLER);                                   \
    return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                                 \
  }
#define HEIST_COUNT(bits, type, name, sign)                                               \
  HEIST_EXPORTED type __tsan_atomic##bits##_fetch_##name(volatile type* p, type v, int) { \
    touch_atomically(p, sizeof *p, true, HEIST_CALLER);                                   \
    const type before = __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                    \
    if (before == 1 && static_cast<type>(before sign v) == 0 && away <= 0)                \
      heist::race::last_reference::hold(number(p), detector::instance().depth());         \
    return before;                                                                        \
  }
#define HEIST_ATOMIC(bits, type)                                                                   \
  HEIST_EXPORTED type __tsan_atomic##bits##_load(const volatile type* p, int) {                    \
    touch_atomically(p, sizeof *p, false, HEIST_CALLER);                                           \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  HEIST_EXPORTED void __tsan_atomic##bits##_store(volatile type* p, type v, int) {                 \
    touch_atomically(p, sizeof *p, true, HEIST_CALLER);                                            \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  HEIST_EXPORTED type __tsan_atomic##bits##_exchange(volatile type* p, type v, int) {              \
    touch_atomically(p, sizeof *p, true, HEIST_CALLER);                                            \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  HEIST_COUNT(bits, type, add, +)                                                                  \
  HEIST_COUNT(bits, type, sub, -)                                                                  \
  HEIST_COMBINE(bits, type, and)                                                                   \
  HEIST_COMBINE(bits, type, or)                                                                    \
  HEIST_COMBINE(bits, type, xor)                                                                   \
  HEIST_COMBINE(bits, type, nand)                                                                  \
  HEIST_EXPORTED int __tsan_atomic##bits##_compare_exchange_strong(                                \
      volatile type* p, type* expected, type v, int, int) {                                        \
    touch_atomically(p, sizeof *p, true, HEIST_CALLER);                                            \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
  }                                                                                                \
  HEIST_EXPORTED int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* expected, \
                                                                 type v, int, int) {               \
    touch_atomically(p, sizeof *p, true, HEIST_CALLER);                                            \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
  }                                                                                                \
  HEIST_EXPORTED type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type expected,  \
                                                                 type v, int, int) {               \
    touch_atomically(p, sizeof *p, true, HEIST_CALLER);                                            \
    __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
    return expected;                                                                               \
  }
HEIST_ATOMIC(8, std::uint8_t)
HEIST_ATOMIC(16, std::uint16_t)
HEIST_ATOMIC(32, std::uint32_t)
HEIST_ATOMIC(64, std::uint64_t)

// ---- Branches. One that begins while nothing is looked at ends so, too.

namespace {
constinit thread_local std::size_t skipped __attribute__((tls_model("initial-exec"))) = 0;

bool is_skipped() noexcept {
  if (!is_away()) return false;
  ++skipped;
  return true;
}
}  // namespace

HEIST_EXPORTED void heist_v0_race_begin(std::uint32_t* bag, unsigned kind, std::uint64_t index,
                                        const void* from) noexcept {
  if (is_skipped()) return;
  detector::instance().begin_branch(bag, kind, index, number(from),
                                    number(__builtin_frame_address(0)) + 2 * sizeof(void*));
}
HEIST_EXPORTED void heist_v0_race_begin_of(const void* object, unsigned kind,
                                           const void* from) noexcept {
  if (is_skipped()) return;
  detector::instance().begin_branch_of(object, kind, 0, number(from),
                                       number(__builtin_frame_address(0)) + 2 * sizeof(void*));
}
HEIST_EXPORTED void heist_v0_race_end() noexcept {
  if (skipped != 0)
    --skipped;
  else if (!is_away())
    detector::instance().end_branch();
}
HEIST_EXPORTED void heist_v0_race_join(std::uint32_t* bag) noexcept {
  if (!is_away()) detector::instance().join_own(bag);
}
HEIST_EXPORTED void heist_v0_race_join_of(const void* object) noexcept {
  if (!is_away()) detector::instance().join(object);
}
HEIST_EXPORTED void heist_v0_race_belongs(const void* object, const void* owner) noexcept {
  if (!is_away()) detector::instance().belong(object, owner);
}
HEIST_EXPORTED void heist_v0_race_node(const void* run, std::uint32_t index,
                                       const void* from) noexcept {
  if (is_skipped()) return;
  detector::instance().begin_node(run, index, number(from),
                                  number(__builtin_frame_address(0)) + 2 * sizeof(void*));
}
HEIST_EXPORTED void heist_v0_race_precedes(const void* run, std::uint32_t before,
                                           std::uint32_t after) noexcept {
  if (!is_away()) detector::instance().precede(run, before, after);
}
HEIST_EXPORTED void heist_v0_race_pipeline(const void* run, const bool* in_order, unsigned stages,
                                           std::uint64_t tokens) noexcept {
  if (!is_away()) detector::instance().begin_pipeline(run, in_order, stages, tokens);
}
HEIST_EXPORTED void heist_v0_race_stage(const void* run, unsigned stage, std::uint64_t item,
                                        const void* from) noexcept {
  if (is_skipped()) return;
  detector::instance().begin_stage(run, stage, item, number(from),
                                   number(__builtin_frame_address(0)) + 2 * sizeof(void*));
}
HEIST_EXPORTED void heist_v0_race_order(const void* object, unsigned how) noexcept {
  if (!is_away())
    detector::instance().order(object, static_cast<heist::detail::race::message>(how));
}
HEIST_EXPORTED void heist_v0_race_waits() noexcept {
  if (!is_away()) heist::race::reports::give_up_waiting(detector::instance());
}
HEIST_EXPORTED void* heist_v0_race_view(const void* reducer) noexcept {
  return !is_away() ? detector::instance().view(reducer) : nullptr;
}
HEIST_EXPORTED void heist_v0_race_add_view(const void* reducer, void* view) {
  if (!is_away()) detector::instance().add_view(reducer, view);
}
// The leftmost of the caller's; nullptr: there is none.
HEIST_EXPORTED void* heist_v0_race_take_view(const void* reducer) noexcept {
  return !is_away() ? detector::instance().take_view(reducer) : nullptr;
}
HEIST_EXPORTED void heist_v0_race_take(const void* lock, bool shared) noexcept {
  if (!is_away()) detector::instance().take(lock, shared);
}
HEIST_EXPORTED void heist_v0_race_drop(const void* lock) noexcept {
  if (!is_away()) detector::instance().drop(lock);
}
HEIST_EXPORTED void heist_v0_race_fresh(const void* memory, std::uint64_t bytes) noexcept {
  if (!is_away()) detector::instance().is_fresh(number(memory), bytes);
}
HEIST_EXPORTED void heist_v0_race_away() noexcept {
  ++away;
  ++in_heist;
}
HEIST_EXPORTED void heist_v0_race_back() noexcept {
  --away;
  --in_heist;
}
HEIST_EXPORTED std::uint64_t heist_v0_race_detected() noexcept {
  return detector::instance().races();
}
HEIST_EXPORTED std::uint64_t heist_v0_race_count() noexcept {
  return heist::race::reports::count();
}
HEIST_EXPORTED const char* heist_v0_race_lines(std::uint64_t i) noexcept {
  return heist::race::reports::lines_of(i);
}
