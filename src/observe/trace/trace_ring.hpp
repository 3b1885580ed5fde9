// The events that one thread has recorded last: see tracing.hpp for who writes what, T1 and T2.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heist/detail/invariant.hpp"
#include "observe/span/strand_clock.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::detail {

// Four words.
struct packed_event {
  std::uint64_t ticks, value_bits, name_and_kind, a_and_b;
};

// The last of several names that a thread has looked up, so that most need no lock.
struct known_name {
  const char* at = nullptr;
  const std::string* text = nullptr;  // never freed
  std::uint32_t number = 0;
};

struct trace_ring {
  explicit trace_ring(std::size_t capacity)
      : mask(capacity - 1), words(new std::uint64_t[4 * capacity]) {}

  void add(const packed_event& e) noexcept {
    const std::uint64_t n = done.load(std::memory_order_relaxed);  // its own
    HEIST_INVARIANT("tracing.hpp T1", begun.load(std::memory_order_relaxed) == n);
    begun.store(n + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // T1
    std::uint64_t* const at = words.get() + 4 * (n & mask);
    __atomic_store_n(at, e.ticks, __ATOMIC_RELAXED);
    __atomic_store_n(at + 1, e.value_bits, __ATOMIC_RELAXED);
    __atomic_store_n(at + 2, e.name_and_kind, __ATOMIC_RELAXED);
    __atomic_store_n(at + 3, e.a_and_b, __ATOMIC_RELAXED);
    done.store(n + 1, std::memory_order_release);  // T1
  }

  std::atomic<std::uint64_t> begun{0}, done{0};
  const std::uint64_t mask;
  const std::unique_ptr<std::uint64_t[]> words;
  // Of the trace that it records for. Written by its thread under the lock.
  std::uint64_t trace_number = 0;
  std::uint64_t first = 0;  // event
  std::uint32_t lane = 0;
  stamp_rate rate{};
  std::array<known_name, 64> names{};
};

// Appends what the ring holds of its trace, by T2, and says in the lane what it has lost. The times
// are ticks still.
void copy_events(const trace_ring& r, trace::lane& lane, std::vector<trace::event>& to);

}  // namespace heist::inline v0::detail
