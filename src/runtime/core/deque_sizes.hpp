// How many jobs a worker's deque holds, for the one that looks on.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

// The private and the public part of a split deque; what a batched steal brought along counts for
// the others. Reads only, except the pin of a guest's. Relaxed, all of it: head and tail are of
// two moments, so the number is off by what was pushed, popped and stolen in between.
inline std::uint64_t deque_size(worker& w) noexcept {
  if (!w.uses_split()) {
    const std::uint64_t forks = w.forks->size_hint();
    // A shared queue is both.
    return w.pool.config().deque == deque_kind::shared_queue ? forks : forks + w.loot->size_hint();
  }
  const deque_view deque(w);
  if (!deque) return 0;
  const position tail = deque->word.load().tail;
  const position head = deque->depth();
  const position top = head < deque->capacity ? head : deque->capacity;  // without the spare slot
  return top > tail ? (top - tail) / sizeof(job) : 0;
}

}  // namespace heist::inline v0::detail
