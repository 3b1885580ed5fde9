// An arena: a bounded number of seats for threads that share work, and the work.
//
// A thread in a seat owns the seat's deque. Threads without work take from the deques of other
// seats, from the seat's mailbox, and from the arena's queues. Seats [0, reserved) are for threads
// from outside alone. Workers are sent by the arena's keeper, the market (market/market.hpp).
//
// What belongs to no deque:
//   enqueued_   task_arena::enqueue: in their order, by threads that are not isolated
//   critical_   nodes of a flow graph that have a priority: before all else
//   shared_     what did not fit into a deque, or was taken from one by a thief in an isolated
//               region to which it does not belong
//   resumable   suspended stacks (task_stack.hpp)
//
// How nobody sleeps while there is work. The one that has pushed reads hungry_, after a light
// barrier or an atomic exchange. Who is about to sleep, or to leave, raises hungry_, makes every
// owner of a deque run a full barrier, and looks at everything once more. So either the push is
// seen, or it reads 1, and calls for help (advertise). hungry_ is lowered by those that call only.
//
// A thread that naps (dispatch.cpp) has not raised hungry_: work outside of deques wakes it, what
// lies in deques waits until its nap ends.
//
// A call wakes one sleeper. That one, when it has found a task, has the next one woken (invite): so
// an owner that pushes small tasks does not wake all of them again and again.
//
// Roles. hungry_: raised by sleepers, lowered by advertise(). demand, allotted, active, references,
// tasks_seen: under the market's lock; allotted and active are read without it, as hints.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "arenas/observers.hpp"
#include "heist/deque/heavy_barrier.hpp"
#include "heist/deque/split.hpp"
#include "heist/detail/short_lock.hpp"
#include "parts/abi.hpp"
#include "parts/constraints.hpp"
#include "parts/lazy_slots.hpp"
#include "parts/mailbox.hpp"
#include "parts/task_queue.hpp"

namespace heist::inline v0::libtbb {

struct participant;
struct task_stack;
class work_arena;

// An item of a deque: a task, or the proxy of one that lies in a mailbox too, marked by its lowest
// bit.
struct work_item {
  std::uintptr_t word = 0;

  static work_item of(task& t) noexcept { return {reinterpret_cast<std::uintptr_t>(&t)}; }
  static work_item of(task_proxy& p) noexcept { return {reinterpret_cast<std::uintptr_t>(&p) | 1}; }
  [[nodiscard]] task_proxy* proxy() const noexcept {
    return (word & 1) != 0 ? reinterpret_cast<task_proxy*>(word - 1) : nullptr;
  }
  [[nodiscard]] task* plain() const noexcept { return reinterpret_cast<task*>(word); }
};

struct alignas(128) seat {
  // Nearly the most that a split deque can have. What does not fit lies in a queue with a lock.
  static constexpr std::size_t capacity = (std::size_t{1} << 20) - 2;

  explicit seat(deque::heavy_barrier_target first) : owner(first) {}

  deque::split<work_item, lazy_slots> items{capacity};
  std::atomic<bool> taken{false};
  // Whom a thief makes run a barrier: the thread in the seat, or the last one.
  std::atomic<deque::heavy_barrier_target> owner;
  mailbox mail;
  // Counted by the thread in the seat, read by reports.
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> steals{0};
};

// Who sends workers to arenas and ends them: the market, of which an arena knows this much. All are
// thread-safe.
class arena_keeper {
 public:
  virtual void refer(work_arena& a) noexcept = 0;
  // The last reference ends the arena.
  virtual void release(work_arena& a) noexcept = 0;
  // There is work in the arena. `must_run`: enqueued work, for which nobody waits.
  virtual void ask_for_workers(work_arena& a, bool must_run) noexcept = 0;
  // A worker has looked everywhere, after is_still_wanted(). Returns false if there may be work
  // nevertheless.
  virtual bool give_up(work_arena& a) noexcept = 0;
  // A thread has left a seat of an arena that was full.
  virtual void seat_was_left(work_arena& a) noexcept = 0;

 protected:
  ~arena_keeper() = default;
};

class work_arena {
 public:
  // `size` seats, at least 2, whose threads are bound as `c` says. Throws std::bad_alloc. The
  // caller has the first reference.
  work_arena(arena_keeper& market, unsigned size, unsigned reserved, int priority,
             const d1::constraints& c);
  ~work_arena();
  work_arena(const work_arena&) = delete;
  work_arena& operator=(const work_arena&) = delete;

  // ---- Seats.

  // Sits down in a free seat, bound and with the observers told; false if there is none. me.in and
  // so on are overwritten.
  [[nodiscard]] bool sit_down(participant& me);
  // Leaves what lies in the deque for thieves. Where no worker is allowed that waits until a thread
  // comes; `for_good`: perhaps none will, so a worker does.
  void stand_up(participant& me, bool for_good = false) noexcept;

  [[nodiscard]] unsigned size() const noexcept { return size_; }
  [[nodiscard]] unsigned reserved() const noexcept { return reserved_; }
  // As the program has asked for, which may be 1.
  [[nodiscard]] unsigned concurrency() const noexcept { return concurrency_; }
  // Whether a thread from outside finds a seat. seq_cst: partner in stand_up().
  [[nodiscard]] bool has_free_seat() const noexcept;
  [[nodiscard]] bool has_seat_for_worker() const noexcept;
  [[nodiscard]] seat& at(unsigned index) noexcept { return *seats_[index]; }
  // Seats that were taken once: [0, seats_in_use()). Acquire: partner in sit_down().
  [[nodiscard]] unsigned seats_in_use() const noexcept {
    return seats_in_use_.load(std::memory_order_acquire);
  }
  [[nodiscard]] task_group_context& default_context() noexcept { return default_context_; }

  // Wakes those that wait for a seat (task_arena::execute).
  void seat_is_free() noexcept;
  std::atomic<unsigned>& waiting_for_seat() noexcept { return waiting_for_seat_; }

  // ---- Work.

  // By the owner of the seat: newest first when taken back, oldest first for thieves.
  void push(seat& own, work_item item) noexcept;
  void enqueue(task& t) noexcept;
  void share(task& t) noexcept;
  void push_critical(task& t) noexcept;
  void push_resumable(task_stack& s) noexcept;

  [[nodiscard]] task* pop_enqueued() noexcept { return enqueued_.pop(no_isolation); }
  [[nodiscard]] task* pop_shared(std::intptr_t isolation) noexcept {
    return shared_.pop(isolation);
  }
  [[nodiscard]] task* pop_critical(std::intptr_t isolation) noexcept {
    return critical_.pop(isolation);
  }
  [[nodiscard]] bool has_critical() const noexcept { return !critical_.looks_empty(); }
  // A stack that may go on, or nullptr.
  [[nodiscard]] task_stack* pop_resumable() noexcept;

  // Whether there is anything to do for somebody. Needs a barrier before it to be sure.
  [[nodiscard]] bool has_work() noexcept;
  // The same without what lies in deques.
  [[nodiscard]] bool has_work_outside_deques() noexcept;
  // How many tasks have begun to run in it. A number that may be a little old.
  [[nodiscard]] std::uint64_t tasks_begun() const noexcept;
  // The same for how many lie in its deques.
  [[nodiscard]] std::size_t items_in_deques() noexcept;
  [[nodiscard]] bool has_enqueued() const noexcept { return !enqueued_.looks_empty(); }

  // ---- Sleep.

  // After a push. The barrier: see above.
  void call_if_hungry() noexcept {
    // Relaxed: ordered by the barrier of the push.
    if (hungry_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      advertise();
  }
  void advertise() noexcept;
  // The one that was woken for work calls it when it has found a task, or will not look for one:
  // the next push, or this call if there is more work already, wakes another.
  void invite() noexcept;
  // Raises hungry_, runs the barriers, and looks: true if there is work.
  [[nodiscard]] bool is_still_wanted() noexcept;
  // Whether a push has called for help since then. seq_cst: partner in advertise().
  [[nodiscard]] bool has_called() const noexcept {
    return hungry_.load(std::memory_order_seq_cst) == 0;
  }

  // ---- Phases of the program in which there will be more work soon. Relaxed, all: a hint.
  void begin_phase() noexcept { phases_.fetch_add(1, std::memory_order_relaxed); }
  void end_phase() noexcept { phases_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool is_in_phase() const noexcept {
    return phases_.load(std::memory_order_relaxed) != 0;
  }

  // ---- For the market, under its lock.
  arena_keeper& keeper;
  const int priority;
  unsigned max_workers;   // that it asks for: the seats that are not reserved
  unsigned demand = 0;    // 0, or how many workers it asks for
  bool must_run = false;  // something was enqueued: one worker at least, whatever is allowed
  unsigned references = 1;
  std::uint64_t tasks_seen = 0;      // tasks_begun() when the watch last looked
  std::atomic<bool> is_full{false};  // M3: raised under it
  std::atomic<unsigned> allotted{0};
  std::atomic<unsigned> active{0};

  observer_list observers;

 private:
  [[nodiscard]] bool take(unsigned index, participant& me) noexcept;
  void full_barrier_of_owners() noexcept;
  void call_for_shared_work() noexcept;
  void push_full(seat& own, work_item item) noexcept;
  static bool move_to_front(seat& own) noexcept;

  const unsigned concurrency_, size_, reserved_;
  const binding binding_;
  std::vector<std::unique_ptr<seat>> seats_;
  std::atomic<unsigned> seats_in_use_{0};
  std::atomic<unsigned> waiting_for_seat_{0};
  std::atomic<unsigned> phases_{0};
  task_group_context default_context_;

  alignas(128) std::atomic<std::uint32_t> hungry_{1};
  task_queue critical_;
  task_queue enqueued_;
  task_queue shared_;

  detail::short_lock resumable_lock_;
  task_stack* resumable_ = nullptr;  // linked by task_stack::next, the newest first
  std::atomic<unsigned> resumables_{0};
};

}  // namespace heist::inline v0::libtbb
