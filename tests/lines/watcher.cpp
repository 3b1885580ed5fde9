// See watcher.hpp. This file is compiled without instrumentation.
#include "watcher.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

extern "C" const char __executable_start;

namespace {

constexpr unsigned line_shift = 6;
constexpr std::size_t lines_n = std::size_t{1} << 20;
constexpr unsigned most_threads = 64;

struct line_state {
  std::atomic<std::uint64_t> line{0};     // its address over 64; 0: unused
  std::atomic<std::uint64_t> holders{0};  // a bit for each thread that has it
  std::atomic<bool> is_written{false};    // by the only holder
  std::atomic<bool> is_locked{false};
  std::uint64_t moved = 0;  // guarded by is_locked
  // Addresses in the code: of the last access that moved it, and of the last one by another thread
  // that wrote before.
  const void* by = nullptr;
  const void* after = nullptr;
  const void* written_by = nullptr;
};

std::array<line_state, lines_n> states;
std::atomic<bool> is_watching{false};
std::atomic<unsigned> threads{0};
std::array<std::atomic<std::uint64_t>, most_threads> moved_by_thread{};

unsigned this_thread() noexcept {
  thread_local unsigned number = most_threads;
  if (number == most_threads) number = threads.fetch_add(1) % most_threads;
  return number;
}

line_state& state_of(std::uint64_t line) noexcept {
  for (std::size_t i = (line * 0x9E3779B97F4A7C15u) >> 44;; ++i) {
    line_state& s = states[i % lines_n];
    std::uint64_t found = s.line.load(std::memory_order_acquire);
    if (found == line) return s;
    if (found == 0 && (s.line.compare_exchange_strong(found, line) || found == line)) return s;
  }
}

void touch_line(std::uint64_t line, bool writes, const void* by) noexcept {
  const unsigned thread = this_thread();
  const std::uint64_t own = std::uint64_t{1} << thread;
  line_state& s = state_of(line);
  // It has the line: nothing moves.
  const std::uint64_t holders = s.holders.load(std::memory_order_relaxed);
  if (writes ? holders == own && s.is_written.load(std::memory_order_relaxed)
             : (holders & own) != 0)
    return;
  while (s.is_locked.exchange(true, std::memory_order_acquire)) {
  }
  const std::uint64_t before = s.holders.load(std::memory_order_relaxed);
  const bool moves = writes ? (before & ~own) != 0 : before != 0 && (before & own) == 0;
  s.holders.store(writes ? own : before | own, std::memory_order_relaxed);
  s.is_written.store(writes, std::memory_order_relaxed);
  if (moves) {
    ++s.moved;
    s.by = by;
    s.after = s.written_by;
    moved_by_thread[thread].fetch_add(1, std::memory_order_relaxed);
  }
  if (writes) s.written_by = by;
  s.is_locked.store(false, std::memory_order_release);
}

[[gnu::noinline]] void touch(const volatile void* address, std::size_t bytes, bool writes,
                             const void* by) noexcept {
  if (!is_watching.load(std::memory_order_relaxed) || bytes == 0) return;
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (std::uint64_t line = first >> line_shift; line <= (first + bytes - 1) >> line_shift; ++line)
    touch_line(line, writes, by);
}

std::size_t in_program(const void* code) noexcept {
  return static_cast<std::size_t>(static_cast<const char*>(code) - &__executable_start);
}

}  // namespace

namespace heist_test {

void watch_lines() noexcept {
  for (line_state& s : states) {
    s.holders.store(0, std::memory_order_relaxed);
    s.moved = 0;
  }
  is_watching.store(true);
}
void stop_watching_lines() noexcept { is_watching.store(false); }

std::uint64_t lines_moved_here() noexcept { return moved_by_thread[this_thread()].load(); }
std::uint64_t lines_moved() noexcept {
  std::uint64_t sum = 0;
  for (const auto& each : moved_by_thread) sum += each.load();
  return sum;
}

void wait_unwatched(const std::atomic<int>& number, int least) noexcept {
  while (number.load() < least) ::sched_yield();
}
void add_unwatched(std::atomic<int>& number, int more) noexcept { number.fetch_add(more); }

void print_lines_moved(const char* title, int most) {
  std::vector<line_state*> found;
  for (line_state& s : states)
    if (s.moved != 0) found.push_back(&s);
  std::sort(found.begin(), found.end(),
            [](const auto* a, const auto* b) { return a->moved > b->moved; });
  std::printf("%s: %zu lines moved\n", title, found.size());
  for (line_state* s : found) {
    if (most-- > 0)
      std::printf("  %#zx  %zu times, last by %#zx after %#zx\n",
                  static_cast<std::size_t>(s->line << line_shift),
                  static_cast<std::size_t>(s->moved), in_program(s->by), in_program(s->after));
    s->moved = 0;
  }
}

}  // namespace heist_test

// ---- What the compiler calls.

#define HEIST_CALLER __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define HEIST_ACCESS(bytes)                                                            \
  void __tsan_read##bytes(void* p) { touch(p, bytes, false, HEIST_CALLER); }           \
  void __tsan_write##bytes(void* p) { touch(p, bytes, true, HEIST_CALLER); }           \
  void __tsan_unaligned_read##bytes(void* p) { touch(p, bytes, false, HEIST_CALLER); } \
  void __tsan_unaligned_write##bytes(void* p) { touch(p, bytes, true, HEIST_CALLER); } \
  void __tsan_volatile_read##bytes(void* p) { touch(p, bytes, false, HEIST_CALLER); }  \
  void __tsan_volatile_write##bytes(void* p) { touch(p, bytes, true, HEIST_CALLER); }
HEIST_ACCESS(1)
HEIST_ACCESS(2)
HEIST_ACCESS(4)
HEIST_ACCESS(8)
HEIST_ACCESS(16)
void __tsan_read_range(void* p, std::size_t n) { touch(p, n, false, HEIST_CALLER); }
void __tsan_write_range(void* p, std::size_t n) { touch(p, n, true, HEIST_CALLER); }
void __tsan_vptr_update(void** p, void*) { touch(p, sizeof *p, true, HEIST_CALLER); }
void __tsan_vptr_read(void** p) { touch(p, sizeof *p, false, HEIST_CALLER); }
void __tsan_atomic_thread_fence(int) { std::atomic_thread_fence(std::memory_order_seq_cst); }
void __tsan_atomic_signal_fence(int) { std::atomic_signal_fence(std::memory_order_seq_cst); }

// Every order is the strongest: what is counted is who touches what.
#define HEIST_ATOMIC(bits, type)                                                                   \
  type __tsan_atomic##bits##_load(const volatile type* p, int) {                                   \
    touch(p, sizeof *p, false, HEIST_CALLER);                                                      \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type* p, type v, int) {                                \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type* p, type v, int) {                             \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_add(volatile type* p, type v, int) {                            \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_sub(volatile type* p, type v, int) {                            \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_and(volatile type* p, type v, int) {                            \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_or(volatile type* p, type v, int) {                             \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                              \
  }                                                                                                \
  type __tsan_atomic##bits##_fetch_xor(volatile type* p, type v, int) {                            \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* expected, type v, int, \
                                                    int) {                                         \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* expected, type v, int,   \
                                                  int) {                                           \
    touch(p, sizeof *p, true, HEIST_CALLER);                                                       \
    return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
  }
HEIST_ATOMIC(8, std::uint8_t)
HEIST_ATOMIC(16, std::uint16_t)
HEIST_ATOMIC(32, std::uint32_t)
HEIST_ATOMIC(64, std::uint64_t)

}  // extern "C"
