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
#include <memory>
#include <optional>
#include <type_traits>

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

// One of the two, whatever its type is. A fork and its join know that (fork_join.cpp); to all
// others the call of a virtual function makes no difference.
class fork_deque {
 public:
  using answer = deque::batch_answer<job*>;

  fork_deque() = default;
  virtual ~fork_deque() = default;
  fork_deque(const fork_deque&) = delete;
  fork_deque& operator=(const fork_deque&) = delete;

  // ---- For the worker.
  // The priority is read by a shared queue only. False: it is full.
  virtual bool push(job& j, const int& priority) noexcept = 0;
  virtual std::optional<job*> pop() noexcept = 0;
  // Takes back j, the newest entry if it is there (D2). False: it was stolen.
  virtual bool take_back(job& j) noexcept = 0;
  // The same in the child of fork(), where no other thread exists, and a lock may be held for ever.
  virtual bool take_back_alone(job& j) noexcept = 0;

  // ---- For any thread. A batched deque puts what comes along into `loot`, which is of the same
  // pool; a shared queue writes the priority of what was taken.
  virtual answer steal(fork_deque& loot, int& priority) noexcept = 0;
  [[nodiscard]] virtual std::size_t size_hint() noexcept = 0;
  [[nodiscard]] virtual std::uint64_t resizes() noexcept = 0;
  [[nodiscard]] bool is_empty() noexcept { return size_hint() == 0; }
};

template <class Deque>
class forks_on final : public fork_deque {
 public:
  template <class... Arguments>
  explicit forks_on(const Arguments&... arguments) : deque_(arguments...) {}

  [[gnu::always_inline]] bool push(job& j, const int&) noexcept final {
    return deque_.owner().push(&j) == deque::push_result::ok;
  }
  std::optional<job*> pop() noexcept final { return deque_.owner().pop(); }
  [[gnu::always_inline]] bool take_back(job&) noexcept final {
    return deque_.owner().pop().has_value();
  }
  bool take_back_alone(job& j) noexcept final { return has_lock || take_back(j); }

  answer steal(fork_deque& loot, int&) noexcept final {
    if constexpr (deque::batched_deque<Deque>) {
      auto mine = static_cast<forks_on&>(loot).deque_.owner();
      return deque_.thief().steal_into(mine);
    } else {
      const auto one = deque_.thief().steal();
      return {one.result, one.item, 0};
    }
  }
  std::size_t size_hint() noexcept final { return deque_.thief().size_hint(); }
  std::uint64_t resizes() noexcept final {
    if constexpr (requires { deque_.resizes(); })
      return deque_.resizes();
    else
      return 0;
  }

 private:
  static constexpr bool has_lock =
      std::is_same_v<Deque, deque::locked<job*>> || std::is_same_v<Deque, deque::spin_locked<job*>>;

  Deque deque_;
};

// The pool's queue.
class shared_forks final : public fork_deque {
 public:
  explicit shared_forks(shared_queue& all) noexcept : queue_(all) {}

  bool push(job& j, const int& priority) noexcept final { return queue_.push(j, priority); }
  std::optional<job*> pop() noexcept final { return std::nullopt; }
  bool take_back(job& j) noexcept final { return queue_.claim(j); }
  bool take_back_alone(job& j) noexcept final { return shared_queue::claim_alone(j); }
  answer steal(fork_deque&, int& priority) noexcept final {
    const shared_queue::taken next = queue_.take();
    if (next.item == nullptr) return {deque::steal_result::empty, nullptr, 0};
    priority = next.priority;
    return {deque::steal_result::taken, next.item, 0};
  }
  std::size_t size_hint() noexcept final { return queue_.size_hint(); }
  std::uint64_t resizes() noexcept final { return 0; }

 private:
  shared_queue& queue_;
};

// For up to config.fork_depth jobs; those that grow start small. `shared` is the pool's queue, for
// deque_kind::shared_queue. Nullptr for the split deque. Throws std::bad_alloc.
[[nodiscard]] std::unique_ptr<fork_deque> make_fork_deque(const pool_config& config,
                                                          shared_queue* shared);

}  // namespace heist::inline v0::detail
