// The deques of a worker whose pool doesn't use the split deque (ADR 3).
//
// A worker has two. `forks` holds the jobs of the running fiber, as the split deque does: the
// newest entry belongs to the innermost frame. `loot` holds what a batched steal brought along:
// jobs of other frames, which must not lie among the running fiber's (a join would take one of them
// for its own). A worker without work runs its loot before it looks for victims; thieves steal from
// both. In a pool with a shared queue, `forks` is that queue, the same for all workers (Q1), and
// `loot` stays empty.
//
// Invariants.
//   D1  An entry whose push was refused, a fork's or a scope's child, is in no deque: its slot says
//       so (run == nullptr), and its join runs it. Behind the last position lies one spare slot for
//       all entries that found no place. So run stays nullptr there until the last of them is
//       joined: the next push sets it and is refused too, which resets it; a child that throws
//       before it pushes its spawner's entry resets it; the one that runs a refused child in place
//       has its function in hand and writes nothing to run. Otherwise the join of a fork below
//       would take an older frame's entry for its own, or wait for nobody (D2).
//   D2  So when a join finds `forks` empty, its job was stolen, and everything older too. Not in
//       a shared queue: there the join finds its own job, or it was stolen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>

#include "heist/config.hpp"
#include "heist/deque/abp.hpp"
#include "heist/deque/bounded_ring.hpp"
#include "heist/deque/chase_lev.hpp"
#include "heist/deque/locked.hpp"
#include "heist/deque/multi_steal.hpp"
#include "heist/deque/steal_half.hpp"
#include "heist/detail/job.hpp"
#include "runtime/core/shared_queue.hpp"

namespace heist::inline v0::detail {

class fork_deque {
 public:
  using answer = deque::batch_answer<job*>;

  // For up to `depth` jobs; those that grow start small. `shared` is the pool's queue, for
  // deque_kind::shared_queue. Throws std::bad_alloc.
  fork_deque(const pool_config& config, shared_queue* shared);
  fork_deque(const fork_deque&) = delete;
  fork_deque& operator=(const fork_deque&) = delete;

  // ---- For the worker.
  // The priority is read by a shared queue only.
  deque::push_result push(job& j, const int& priority) noexcept;
  std::optional<job*> pop() noexcept;
  // Takes back j, the newest entry if it is there (D2). False: it was stolen. `alone`: in the child
  // of fork(), where no other thread exists, and a lock may be held for ever.
  bool take_back(job& j, bool alone) noexcept;

  // ---- For any thread. A batched deque puts what comes along into `loot`; a shared queue writes
  // the priority of what was taken.
  answer steal(fork_deque& loot, int& priority) noexcept;
  [[nodiscard]] std::size_t size_hint() noexcept;
  [[nodiscard]] std::uint64_t resizes() noexcept;
  [[nodiscard]] bool is_empty() noexcept { return size_hint() == 0; }

 private:
  shared_queue* const shared_;
  std::variant<std::monostate, deque::locked<job*>, deque::spin_locked<job*>,
               deque::bounded_ring<job*>, deque::abp<job*>, deque::chase_lev<job*>,
               deque::multi_steal<job*>, deque::steal_half<job*>>
      deque_;
};

}  // namespace heist::inline v0::detail
