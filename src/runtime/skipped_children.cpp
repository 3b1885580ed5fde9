// Children of a scope that don't begin: after a stop, or after the exception of another child.
#include <atomic>
#include <cstdint>
#include <new>

#include "heist/scope.hpp"
#include "runtime/scope_parts.hpp"

namespace heist::inline v0::detail {

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
