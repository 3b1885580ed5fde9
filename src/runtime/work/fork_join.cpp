// Fork and join beyond the fast path. How a join waits: rendezvous.hpp.
#include "runtime/work/fork_join.hpp"

#include <atomic>
#include <exception>

#include "heist/detail/invariant.hpp"
#include "heist/error.hpp"
#include "heist/fork_join.hpp"
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

// Apart, so that a join has the record of a wait on its stack only if waits are checked.
[[gnu::noinline]] void suspend_checked(worker& w, fiber& next, position h,
                                       rendezvous& state) noexcept {
  const checked_wait known(state, {wait_kind::join});
  suspend_until_settled(w, next, h, state, {wait_kind::join});
}

}  // namespace

std::uintptr_t wait_for_stolen(position h, job& j) noexcept {
  worker& w = self_worker();
  std::uintptr_t how = j.state.look();
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

}  // namespace heist::inline v0::detail
