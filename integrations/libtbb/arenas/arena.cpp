#include "arenas/arena.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "arenas/contexts.hpp"
#include "arenas/participant.hpp"
#include "arenas/task_stack.hpp"
#include "parts/parking.hpp"

namespace heist::inline v0::libtbb {

work_arena::work_arena(arena_keeper& market, unsigned size, unsigned reserved, int p,
                       const d1::constraints& c)
    : keeper(market),
      priority(p),
      max_workers(size > reserved ? size - reserved : 0),
      concurrency_(size),
      size_(std::max(size, 2u)),
      reserved_(std::min(reserved, size_)),
      binding_(c, size_),
      default_context_(task_group_context::isolated, task_group_context::fp_settings) {
  context_access::make_default(default_context_);
  seats_.reserve(size_);
  const auto first_owner = self().barrier;
  for (unsigned i = 0; i < size_; ++i) seats_.push_back(std::make_unique<seat>(first_owner));
}

work_arena::~work_arena() = default;

// ---- Seats.

bool work_arena::take(unsigned index, participant& me) noexcept {
  seat& s = *seats_[index];
  // Relaxed: a hint. Acquire: what the last owner left in the deque; partner in stand_up().
  if (s.taken.load(std::memory_order_relaxed) || s.taken.exchange(true, std::memory_order_acquire))
    return false;
  // seq_cst: before the new owner's first pop, so that a thief that reads the old one has made its
  // proposal before that pop, which then sees it.
  s.owner.store(me.barrier, std::memory_order_seq_cst);
  unsigned seen = seats_in_use_.load(std::memory_order_relaxed);  // relaxed: the exchange decides
  while (seen <= index && !seats_in_use_.compare_exchange_weak(
                              seen, index + 1, std::memory_order_release,  // partner: its reader
                              std::memory_order_relaxed)) {
  }
  me.in = this;
  me.at = &s;
  me.index = static_cast<d1::slot_id>(index);
  me.seen_observers = 0;
  binding_.enter(index);
  observers.enter(me);
  return true;
}

bool work_arena::sit_down(participant& me) {
  const unsigned first = me.is_worker ? reserved_ : 0;
  for (unsigned i = first; i < size_; ++i)
    if (take(i, me)) return true;
  return false;
}

void work_arena::stand_up(participant& me, bool for_good) noexcept {
  observers.leave(me);
  binding_.leave(me.index);
  seat& s = *me.at;
  s.items.owner().expose_all();
  const bool leaves_work = s.items.thief().size_hint() != 0;
  me.in = nullptr;
  me.at = nullptr;
  me.index = d1::no_slot;
  s.taken.store(false, std::memory_order_seq_cst);  // partners in take() and has_free_seat()
  // seq_cst: after that store. M3.
  if (is_full.load(std::memory_order_seq_cst)) keeper.seat_was_left(*this);
  if (leaves_work) keeper.ask_for_workers(*this, for_good);
  seat_is_free();
}

bool work_arena::has_free_seat() const noexcept {
  return std::ranges::any_of(
      seats_, [](const auto& s) { return !s->taken.load(std::memory_order_seq_cst); });
}
bool work_arena::has_seat_for_worker() const noexcept {
  return std::any_of(seats_.begin() + reserved_, seats_.end(),
                     [](const auto& s) { return !s->taken.load(std::memory_order_seq_cst); });
}

void work_arena::seat_is_free() noexcept {
  // seq_cst: after the seat was given up; partner in await_seat().
  if (waiting_for_seat_.load(std::memory_order_seq_cst) != 0)
    parking::instance().wake_all_in(*this);
}

// ---- Work.

void work_arena::push(seat& own, work_item item) noexcept {
  if (own.items.owner().push(item) != deque::push_result::ok) [[unlikely]]
    return push_full(own, item);
  call_if_hungry();
}

// The deque's array is a stack: thieves take from its bottom, and the places become free when the
// owner finds that everything is gone. So the owner takes what is left, and puts it at the front
// again. Not worth it while most of it is still there.
bool work_arena::move_to_front(seat& own) noexcept {
  auto deque = own.items.owner();
  if (deque.size_hint() > seat::capacity / 2) return false;
  try {
    std::vector<work_item> left;
    left.reserve(seat::capacity / 2);
    for (work_item item; deque.pop(item);) left.push_back(item);
    for (; !left.empty(); left.pop_back()) static_cast<void>(deque.push(left.back()));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void work_arena::push_full(seat& own, work_item item) noexcept {
  if (move_to_front(own) && own.items.owner().push(item) == deque::push_result::ok)
    return call_if_hungry();
  task_proxy* const p = item.proxy();
  task* const t = p != nullptr ? task_proxy::take(p, task_proxy::in_deque) : item.plain();
  if (t != nullptr) share(*t);
}

// After work was put into a queue. The fence: partner in is_still_wanted() and in the nap's look.
void work_arena::call_for_shared_work() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  call_if_hungry();
  parking::instance().wake_nappers_in(*this);
}

void work_arena::enqueue(task& t) noexcept {
  enqueued_.push(t);
  // Relaxed: if a worker leaves now, it looks here first, under the market's lock.
  if (allotted.load(std::memory_order_relaxed) == 0) keeper.ask_for_workers(*this, true);
  call_for_shared_work();
}

void work_arena::share(task& t) noexcept {
  shared_.push(t);
  call_for_shared_work();
}

void work_arena::push_critical(task& t) noexcept {
  critical_.push(t);
  call_for_shared_work();
}

void work_arena::push_resumable(task_stack& s) noexcept {
  // The arena lives until the stack has gone on: its task keeps somebody waiting. Only the caller's
  // own access may come after that.
  keeper.refer(*this);
  {
    const std::lock_guard held(resumable_lock_);
    // Relaxed: under the lock.
    if (s.waits_for == nullptr) s.ready.store(true, std::memory_order_relaxed);
    s.next = std::exchange(resumable_, &s);
    resumables_.fetch_add(1, std::memory_order_seq_cst);
  }
  call_for_shared_work();
  keeper.release(*this);
}

task_stack* work_arena::pop_resumable() noexcept {
  // Acquire: a hint; the lock orders what follows.
  if (resumables_.load(std::memory_order_acquire) == 0) return nullptr;
  const std::lock_guard held(resumable_lock_);
  for (task_stack** place = &resumable_; *place != nullptr; place = &(*place)->next) {
    task_stack* const s = *place;
    if (!s->may_go_on()) continue;
    *place = s->next;
    // Relaxed, both: only hints become smaller.
    resumables_.fetch_sub(1, std::memory_order_relaxed);
    if (s->waits_for != nullptr) stacks_aside.fetch_sub(1, std::memory_order_relaxed);
    return s;
  }
  return nullptr;
}

bool work_arena::has_work() noexcept {
  const unsigned seats = seats_in_use();
  for (unsigned i = 0; i < seats; ++i)
    if (seats_[i]->items.thief().size_hint() != 0) return true;
  return has_work_outside_deques();
}

bool work_arena::has_work_outside_deques() noexcept {
  if (!critical_.looks_empty() || !enqueued_.looks_empty() || !shared_.looks_empty()) return true;
  if (resumables_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard held(resumable_lock_);
  for (const task_stack* s = resumable_; s != nullptr; s = s->next)
    if (s->may_go_on()) return true;
  return false;
}

std::size_t work_arena::items_in_deques() noexcept {
  std::size_t sum = 0;
  const unsigned seats = seats_in_use();
  for (unsigned i = 0; i < seats; ++i) sum += seats_[i]->items.thief().size_hint();
  return sum;
}

std::uint64_t work_arena::tasks_begun() const noexcept {
  std::uint64_t sum = 0;
  const unsigned seats = seats_in_use();
  // Relaxed: numbers alone.
  for (unsigned i = 0; i < seats; ++i) sum += seats_[i]->tasks.load(std::memory_order_relaxed);
  return sum;
}

// ---- Sleep.

void work_arena::advertise() noexcept {
  // acq_rel: one caller of several acts; the next push sees what this one has done.
  if (hungry_.exchange(0, std::memory_order_acq_rel) == 0) return;
  keeper.ask_for_workers(*this, has_enqueued());
  parking::instance().wake_one_in(*this);
}

void work_arena::invite() noexcept {
  hungry_.store(1, std::memory_order_seq_cst);
  if (parking::instance().any() && has_work()) advertise();
}

bool work_arena::is_still_wanted() noexcept {
  if (has_work()) return true;  // seen without a barrier
  hungry_.store(1, std::memory_order_seq_cst);
  full_barrier_of_owners();
  return has_work();
}

// Of free seats the last owners, too: a thread that has ended counts as having run the barrier.
void work_arena::full_barrier_of_owners() noexcept {
  const unsigned seats = seats_in_use();
  if (seats == 0) return;
  const auto any = seats_[0]->owner.load(std::memory_order_seq_cst);
  deque::heavy_barrier_target owners[] = {any, any, any, any, any, any, any, any};
  constexpr unsigned at_once = std::size(owners);
  for (unsigned first = 0; first < seats; first += at_once) {
    const unsigned count = std::min(seats - first, at_once);
    for (unsigned i = 0; i < count; ++i)
      owners[i] = seats_[first + i]->owner.load(std::memory_order_seq_cst);
    deque::heavy_barrier(owners, count);
  }
}

}  // namespace heist::inline v0::libtbb
