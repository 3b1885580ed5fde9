// Children that begin later, and children that don't begin: after a stop, or after the exception of
// another child.
//
// Later begin those for which there is no stack. They wait in the pool's injection queue, as roots
// of a family that their scope has, until a worker has a stack for one, or the scope's sync runs
// those that nobody has begun. As calls they could wait on their spawner's stack, for what the
// spawner does next. So do pushed children of a full deque that can't hold their spawner's rest.
// Such a child is counted in its scope like one whose spawner was stolen, and its views are
// deposited (views.hpp).
#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "heist/scope.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/awaited_calls.hpp"
#include "runtime/work/scope_parts.hpp"
#include "runtime/work/views.hpp"

namespace heist::inline v0::detail {

bool scope_state::begin_later(worker& w, keep_function to_heap, void* closure) {
  const bool is_owner = w.current.get() == owner_;
  // What the owner has added stands before the child in the order of the program.
  if (is_owner && !pushes() && w.current.get()->views != nullptr)
    deposit(use_key(), leave_views(w));
  const std::uint64_t key = is_owner ? use_key() : foreign_key;
  root_family* const late = late_children();
  if (late == nullptr) return false;
  try {
    late_child* const child = to_heap(closure, *late);
    if (child == nullptr) return false;
    child->scope = this;
    child->key = key;
    count_child();
    w.pool.start(*child);
  } catch (...) {
    keep(key, std::current_exception());
  }
  return true;
}

// nullptr: there is no memory.
root_family* scope_state::late_children() noexcept {
  const keeping hold(word_);
  if (hold.has(has_late)) return late_;
  late_ = new (std::nothrow) root_family;
  if (late_ != nullptr) word_.fetch_or(has_late, std::memory_order_relaxed);
  return late_;
}

void scope_state::run_late() noexcept {
  while (run_newest_of(*late_)) {
  }
}

void scope_state::late_child_ended(std::uint64_t key) noexcept {
  if (view_node* const views = leave_views(self_worker())) [[unlikely]]
    deposit(key, views);
  if (!ends_the_wait()) return;
  // Not resumed at once: its caller has to count the root out.
  if (fiber* const owner = settle_for_fiber(state_, job::done)) make_ready(*owner);
}

// ---- Skipped.

void scope_state::count_skipped() noexcept {
  const keeping hold(word_);
  if (!hold.has(has_skipped)) {
    ::new (static_cast<void*>(&skipped_)) std::atomic<std::uint64_t>(0);
    word_.fetch_or(has_skipped, std::memory_order_relaxed);
  }
  skipped_.fetch_add(1, std::memory_order_relaxed);
}

// Relaxed, all of it: the counts are read after the children have ended.
bool scope_state::skip_if_stopped(unsigned flags) noexcept {
  const bool by_condition = (flags & stopped) == 0;
  if (by_condition && ((flags & watched) == 0 || !watch_->stop.stop_requested())) return false;
  count_skipped();
  if (by_condition) word_.fetch_or(cut_off, std::memory_order_relaxed);
  return true;
}

bool scope_state::skip_spawned(unsigned flags) noexcept {
  if ((flags & has_failed) != 0) return true;
  if ((flags & watched) != 0) watch_->spawned.fetch_add(1, std::memory_order_relaxed);
  return skip_if_stopped(flags);
}

bool scope_state::skip_pushed(std::uint64_t key) noexcept {
  const unsigned flags = this->flags();
  if ((flags & has_failed) != 0) {
    const keeping hold(word_);
    if (first_.key <= key) return true;  // a serial run would have met that exception first
  }
  return skip_if_stopped(flags);
}

}  // namespace heist::inline v0::detail
