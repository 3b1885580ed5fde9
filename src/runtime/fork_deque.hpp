// The deques of a worker whose pool doesn't use the split deque (ADR 3).
//
// A worker has two. `forks` holds the jobs of the running fiber, as the split deque does: the
// newest entry belongs to the innermost frame. `loot` holds what a batched steal brought along:
// jobs of other frames, which must not lie among the running fiber's (a join would take one of them
// for its own). A worker without work runs its loot before it looks for victims; thieves steal from
// both.
//
// Invariants.
//   D1  A fork whose push was refused is in no deque: its slot says so (run == nullptr), and its
//       join runs it.
//   D2  So when a join finds `forks` empty, its job was stolen, and everything older too.
#pragma once

#include <cstddef>
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

namespace heist::inline v0::detail {

class fork_deque {
 public:
  using answer = deque::batch_answer<job*>;

  // For up to `depth` jobs; those that grow start small. Throws std::bad_alloc.
  explicit fork_deque(const pool_config& config);
  fork_deque(const fork_deque&) = delete;
  fork_deque& operator=(const fork_deque&) = delete;

  // ---- For the worker.
  deque::push_result push(job& j) noexcept;
  std::optional<job*> pop() noexcept;

  // ---- For any thread. A batched deque puts what comes along into `loot`.
  answer steal(fork_deque& loot) noexcept;
  [[nodiscard]] std::size_t size_hint() noexcept;
  [[nodiscard]] bool is_empty() noexcept { return size_hint() == 0; }

 private:
  std::variant<std::monostate, deque::locked<job*>, deque::bounded_ring<job*>, deque::abp<job*>,
               deque::chase_lev<job*>, deque::multi_steal<job*>, deque::steal_half<job*>>
      deque_;
};

}  // namespace heist::inline v0::detail
