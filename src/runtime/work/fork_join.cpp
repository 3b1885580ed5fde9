// Fork and join beyond the fast path. How a join waits: rendezvous.hpp.
#include "runtime/work/fork_join.hpp"

#include <atomic>
#include <exception>

#include "heist/detail/invariant.hpp"
#include "heist/detail/parallel/pace.hpp"
#include "heist/error.hpp"
#include "heist/fork_join.hpp"
#include "platform/cpu.hpp"
#include "platform/fatal.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"
#include "runtime/notes.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/moves.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0::detail {

job* taken_back_result(job& j, std::uintptr_t how, bool throws) {
  // Relaxed: until the slot is stolen again only this fiber looks at it.
  j.state.reset();
  if (j.views != nullptr) [[unlikely]]
    receive_views(j.views);
  if (how == job::done) return &j;
  auto* const kept = std::launder(reinterpret_cast<std::exception_ptr*>(j.payload));
  std::exception_ptr exception = std::move(*kept);
  kept->~exception_ptr();
  if (throws) std::rethrow_exception(std::move(exception));
  return nullptr;
}

namespace {

// How the stolen job has ended, or job::pending if it hasn't after as long as a chunk of a loop may
// take. Two halves of a loop end within a chunk of one another, so a join that looks for so long
// goes on where it is: the thread keeps the data in its cache, and the thief that would have
// resumed the fiber is free to ask it again (ADR 25). What a look that was in vain costs is a
// constant for each steal, as the steal itself (J2: the deque is empty). The documents' systems
// don't look, nor does the only worker of a pool, whose own suspended fiber has begun the job.
rendezvous::word look_for_a_chunk(const worker& w, const rendezvous& state) noexcept {
  rendezvous::word how = state.look();
  if (how != job::pending || !w.uses_split() || w.workers == 1) return how;
  const std::uint64_t most = 2 * ticks_per_chunk();  // longer chunks are made shorter: pace
  for (const std::uint64_t begun = ticks(); how == job::pending && ticks() - begun < most;
       how = state.look())
    platform::pause();
  return how;
}

// Apart, so that a join has the record of a wait on its stack only if waits are checked.
[[gnu::noinline]] void suspend_checked(worker& w, fiber& next, position h,
                                       rendezvous& state) noexcept {
  const checked_wait known(state, {wait_kind::join});
  suspend_until_settled(w, next, h, state, {wait_kind::join});
}

}  // namespace

std::uintptr_t wait_for_stolen(position h, job& j) noexcept {
  worker& w = self_worker();
  std::uintptr_t how = look_for_a_chunk(w, j.state);
  if (how == job::pending) {
    if (w.alone)
      platform::fatal("the child of a fork() joins work that another thread had begun before it");
    w.count.suspends.add();
    fiber& next = take_fiber_to_wait(w);
    if (&next == &w.native && w.pool.injection().remove(j)) {
      w.pool.end_starving();
      if (is_measured(w)) notes::fork_is_taken_back(w, j);
      place_deque(w, h, w.current.get()->array->slots);
      return job::pending;
    }
    if (waits_are_checked()) [[unlikely]]
      suspend_checked(w, next, h, j.state);
    else
      suspend_until_settled(w, next, h, j.state, {wait_kind::join});
    how = j.state.look();
  } else {
    place_deque(w, h, w.current.get()->array->slots);
  }
  return how;
}

popped_entry take_any(worker& w) noexcept {
  const position h = w.deque->depth();
  job& j = slot_to_join(w, h);
  const bool is_owners = take_back(w, h, j);
  HEIST_INVARIANT("src/runtime/README.md R4", !is_owners || j.state.look() == job::pending);
  return {&j, is_owners};
}

job* take_stolen(worker& w, job& j) noexcept {
  const std::uintptr_t how = wait_for_stolen(w.deque->depth(), j);
  if (how == job::pending) return &j;
  taken_back_result(j, how, false);
  return nullptr;
}

job* join_any(worker& w, bool throws) {
  const position h = w.deque->depth();
  if (is_measured(w)) [[unlikely]]
    return notes::join_measured(w, h, throws);
  job& j = slot_to_join(w, h);
  if (take_back(w, h, j)) {
    HEIST_INVARIANT("src/runtime/README.md R4", j.state.look() == job::pending);
    if (w.moves_joins) [[unlikely]]
      go_through_queue(w);
    return nullptr;
  }
  return join_stolen(h, j, throws);
}

job* join_stolen(position h, job& j, bool throws) {
  const std::uintptr_t how = wait_for_stolen(h, j);
  return how == job::pending ? nullptr : taken_back_result(j, how, throws);
}

bool take_back(worker& w, position h, job& j) noexcept {
  if (w.moves_joins) [[unlikely]]
    leave_to_thieves(w, h, j);
  if (!w.uses_split()) {
    if (j.run == nullptr) return true;                                                 // D1
    const bool taken = w.alone ? w.forks->take_back_alone(j) : w.forks->take_back(j);  // D2
    if (!taken)
      w.count.failed_takes.add();
    else if (w.counts_all)
      w.count.takes.add();
    return taken;
  }
  std::uint32_t reclaimed = 0;
  const auto result = w.deque->pop_slow(h, reclaimed);
  w.count.reclaims.add(reclaimed);
  if (result == deque::pop_result::taken) return true;
  w.count.failed_takes.add();
  return false;
}

bool fork_slow() {
  worker* const w = worker_here();
  if (w != nullptr) [[likely]]
    return w->path.fork(*w);
  // Not pushed. Release as in publish(); there is no thief.
  control& c = current_control();
  c.head.store(c.depth() - static_cast<position>(sizeof(job)), std::memory_order_release);
  return serial_elision();
}

job* join_slow() {
  worker& w = *worker_here();
  return w.path.join(w);
}

job* join_abandoned() noexcept { return join_any(self_worker(), false); }

void keep_exception(job& j) noexcept {
  ::new (static_cast<void*>(j.payload)) std::exception_ptr(std::current_exception());
}

void complete(job& j, std::uintptr_t state) noexcept {
  worker& w = self_worker();
  if (is_measured(w) && notes::ends(w, j)) [[unlikely]] {
    j.views = nullptr;  // the fiber keeps its own
    return settle(j.state, state);
  }
  w.current.get()->ends = nullptr;
  if (w.moves_joins) [[unlikely]]
    await_joiner(j);
  j.views = leave_views(w);
  settle(j.state, state);
}

// An exception_ptr is one pointer to a counted object; as a plain pointer it costs the fast path no
// destructor. The static_assert and the tests hold the library to it.
void* release_current_exception() noexcept {
  static_assert(sizeof(std::exception_ptr) == sizeof(void*));
  alignas(std::exception_ptr) std::byte bytes[sizeof(std::exception_ptr)];
  ::new (static_cast<void*>(bytes)) std::exception_ptr(std::current_exception());
  void* released;
  std::memcpy(&released, bytes, sizeof(released));
  return released;
}

namespace {

std::exception_ptr take_released(void* exception) noexcept {
  alignas(std::exception_ptr) std::byte bytes[sizeof(std::exception_ptr)];
  std::memcpy(bytes, &exception, sizeof(exception));
  auto* const released = std::launder(reinterpret_cast<std::exception_ptr*>(bytes));
  std::exception_ptr taken = std::move(*released);
  released->~exception_ptr();  // libc++ has copied it
  return taken;
}

}  // namespace

void* throw_released(void* exception) { std::rethrow_exception(take_released(exception)); }

void drop_released(void* exception) noexcept { take_released(exception); }

// ---- How forks and joins reach the deque that their pool has been given (ADR 21).
//
// A fork on the split deque comes here only when somebody asks. On any other deque each one does:
// so there is one path for each type of deque, with its push and its pop inlined, and a worker
// knows the one that is its pool's. What a fork would have to ask otherwise (is it counted, checked
// or measured, is the worker alone?) has been asked when the pool was made.
//
// The addresses of thread-locals (control_for_now) are used before anything could change the thread
// (hot_path.hpp).

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
[[gnu::always_inline]] inline bool push_on(worker& w) {
  control& c = control_for_now();
  const position h = c.depth() - one;
  const int& priority = w.current.get()->priority;
  if (h >= c.capacity || !static_cast<Forks&>(*w.forks).push(slot_at(c, h), priority)) [[unlikely]]
    return refuse(w, c, h);
  w.pool.wake_for_pushed(w);
  return true;
}

template <class Forks>
bool fork_on(worker& w) {
  push_on<Forks>(w);
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

bool fork_split(worker& w) {
  push_split(w);
  look_at_entry();
  return true;
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

// Counts a fork of which nobody has asked anything. False: somebody has, or it found no place.
[[gnu::always_inline]] inline bool push_unasked(worker& w, const control& c) {
  // Relaxed: a request that comes now is answered by the next fork.
  if (c.limit.load(std::memory_order_relaxed) != counting_limit || c.depth() > c.capacity)
    return false;
  w.count.puts.add();
  if (w.moves_joins) [[unlikely]]
    offer_to_all(w);
  return true;
}

bool push_watched(worker& w) {
  control& c = control_for_now();
  if (w.lock_checks != nullptr) w.lock_checks->look("across a fork");
  if (!w.uses_split()) return push_watched_elsewhere(w, c, c.depth() - one);
  return push_unasked(w, c) || push_split(w);
}

bool fork_watched(worker& w) {
  // An urgent root comes with a request, too.
  if (w.lock_checks == nullptr && w.uses_split() && push_unasked(w, control_for_now())) return true;
  push_watched(w);
  look_at_entry();
  return true;
}

}  // namespace

constinit const fork_path watched_path = {&fork_watched, &join_any_and_throw, &push_watched,
                                          &take_any};

fork_path path_to(deque_kind kind) noexcept {
  switch (kind) {
    case deque_kind::split:
      return {&fork_split, &join_any_and_throw, &push_split, &take_any};
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
