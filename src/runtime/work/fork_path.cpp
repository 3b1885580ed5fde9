// How forks and joins reach the deque that their pool has been given (ADR 21).
//
// A fork on the split deque comes here only when somebody asks. On any other deque each one does:
// so there is one path for each type of deque, with its push and its pop inlined, and a worker
// knows the one that is its pool's. What a fork would have to ask otherwise (is it counted, checked
// or measured, is the worker alone?) has been asked when the pool was made.
//
// The addresses of thread-locals (control_for_now) are used before anything could change the thread
// (hot_path.hpp).
#include <atomic>

#include "heist/fork_join.hpp"
#include "platform/fatal.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/notes.hpp"
#include "runtime/work/fork_join.hpp"
#include "runtime/work/moves.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr position one = sizeof(job);

// ---- Any deque but the split one.

// The fork at position h found no place, and becomes a call. False, as push().
[[gnu::noinline]] bool refuse(worker& w, control& c, position h) noexcept {
  // The spare slot belongs to every deeper fork. Release: as in publish().
  if (w.alone || h >= c.capacity) c.head.store(h, std::memory_order_release);
  slot_at(c, h).run = nullptr;  // D1
  begin_at(w, h);
  w.count.inlined_forks.add();
  return false;
}

template <class Forks>
[[gnu::always_inline]] inline bool push_inlined(worker& w) noexcept {
  control& c = control_for_now();
  const position h = c.depth() - one;
  const int& priority = w.current.get()->priority;
  if (h >= c.capacity || !static_cast<Forks&>(*w.forks).push(slot_at(c, h), priority)) [[unlikely]]
    return refuse(w, c, h);
  w.pool.wake_for_pushed(w);
  return true;
}

template <class Forks>
bool push_on(worker& w) {
  return push_inlined<Forks>(w);
}

template <class Forks>
bool fork_on(worker& w) {
  push_inlined<Forks>(w);
  if (w.pool.injection().urgent() != 0) [[unlikely]]
    look_at_entry();
  return true;
}

// Whether the job in the slot of the newest entry is still the owner's.
template <class Forks>
[[gnu::always_inline]] inline bool take_inlined(worker& w, job& j) noexcept {
  if (j.run == nullptr || static_cast<Forks&>(*w.forks).take_back(j)) [[likely]]  // D1, D2
    return true;
  w.count.failed_takes.add();
  return false;
}

// Whether the slot of the newest entry is in an array that the fiber used before (slots.hpp).
[[gnu::always_inline]] inline bool is_older(worker& w, position h) noexcept {
  return h < w.current.get()->from;
}

template <class Forks>
job* join_on(worker& w) {
  const control& c = control_for_now();
  const position h = c.depth();
  if (is_older(w, h)) [[unlikely]]
    return join_any(w, true);
  job& j = slot_at(c, h);
  return take_inlined<Forks>(w, j) ? nullptr : join_stolen(h, j, true);
}

template <class Forks>
popped_entry take_on(worker& w) {
  const control& c = control_for_now();
  const position h = c.depth();
  if (is_older(w, h)) [[unlikely]]
    return take_any(w);
  job& j = slot_at(c, h);
  return {&j, take_inlined<Forks>(w, j)};
}

template <class Forks>
constexpr fork_path path_on = {&fork_on<Forks>, &join_on<Forks>, &push_on<Forks>, &take_on<Forks>};

// ---- The split deque.

bool push_split(worker& w) {
  control& c = control_for_now();
  const position h = c.depth() - one;
  const control::push_answer answer = c.on_limit(h);
  if (!answer.pushed) {
    w.count.inlined_forks.add();
    begin_at(w, h);
  } else if (w.counts_all) {
    w.count.puts.add();
  }
  w.count.exposes.add(answer.items);
  if (answer.exposed) w.pool.wake_for_exposed(w);
  if (w.moves_joins) [[unlikely]]
    offer_to_all(w);
  // The answered request may stand for an urgent root, too: either the one that asks for that sees
  // the answer and asks again, or look_at_entry() sees the root. Partner: wake_for_injection().
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return answer.pushed;
}

job* join_any_and_throw(worker& w) { return join_any(w, true); }

// ---- Where somebody watches, and where a worker is alone.

bool push_watched_elsewhere(worker& w, control& c, position h) {
  job& j = slot_at(c, h);
  const bool is_measured_here = is_measured(w);
  const auto kind = is_measured_here ? notes::forks(w, j, h) : notes::pushed_kind::fork;
  const bool is_pushed = !w.alone && h < c.capacity && w.forks->push(j, w.current.get()->priority);
  if (is_measured_here) notes::has_forked(w, kind, h, is_pushed);
  if (!is_pushed) return refuse(w, c, h);
  if (w.counts_all) w.count.puts.add();
  w.pool.wake_for_pushed(w);
  return true;
}

bool push_watched(worker& w) {
  control& c = control_for_now();
  if (w.lock_checks != nullptr) w.lock_checks->look("across a fork");
  if (!w.uses_split()) return push_watched_elsewhere(w, c, c.depth() - one);
  // Relaxed: a request that comes now is answered by the next fork.
  if (c.limit.load(std::memory_order_relaxed) != counting_limit || c.depth() > c.capacity)
    return push_split(w);
  w.count.puts.add();
  if (w.moves_joins) offer_to_all(w);
  return true;
}

template <bool (*Push)(worker&)>
bool fork_by(worker& w) {
  Push(w);
  look_at_entry();
  return true;
}

}  // namespace

constinit const fork_path watched_path = {&fork_by<push_watched>, &join_any_and_throw,
                                          &push_watched, &take_any};

fork_path path_to(deque_kind kind) noexcept {
  switch (kind) {
    case deque_kind::split:
      return {&fork_by<push_split>, &join_any_and_throw, &push_split, &take_any};
    case deque_kind::locked:
      return path_on<forks_on<deque::locked<job*>>>;
    case deque_kind::spin_locked:
      return path_on<forks_on<deque::spin_locked<job*>>>;
    case deque_kind::bounded_ring:
      return path_on<forks_on<deque::bounded_ring<job*>>>;
    case deque_kind::abp:
      return path_on<forks_on<deque::abp<job*>>>;
    case deque_kind::chase_lev:
      return path_on<forks_on<deque::chase_lev<job*>>>;
    case deque_kind::multi_steal:
      return path_on<forks_on<deque::multi_steal<job*>>>;
    case deque_kind::steal_half:
      return path_on<forks_on<deque::steal_half<job*>>>;
    case deque_kind::shared_queue:
      return path_on<shared_forks>;
  }
  platform::fatal("a pool with a deque that doesn't exist");
}

}  // namespace heist::inline v0::detail
