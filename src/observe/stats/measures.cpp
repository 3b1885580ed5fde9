#include "observe/stats/measures.hpp"

#include "runtime/core/deque_sizes.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

namespace {

// What a look at the other workers finds. Relaxed, all of it: of slightly different moments.
struct surroundings {
  unsigned running = 0;  // without the worker itself
  bool has_private = false, has_public = false;
};

void look_at(worker& other, surroundings& found) noexcept {
  if (other.doing.load(std::memory_order_relaxed) == worker_state::running) ++found.running;
  if (!other.uses_split()) {
    found.has_public = found.has_public || deque_size(other) != 0;
    return;
  }
  const deque_view deque(other);
  if (!deque) return;
  if (deque->has_public())
    found.has_public = true;
  else if (deque->has_work())
    found.has_private = true;
}

surroundings look_around(const worker& w) noexcept {
  surroundings found;
  for (unsigned i = 0; i < w.pool.slots(); ++i)
    if (worker& other = w.pool.at(i); &other != &w) look_at(other, found);
  return found;
}

}  // namespace

std::uint64_t suspended_fibers(const pool_impl& p) noexcept {
  std::uint64_t known = 0;
  const auto add = [&known](const worker& w) {
    known += 1 + w.spare_count.load(std::memory_order_relaxed);
  };
  for (unsigned i = 0; i < p.size(); ++i) add(p.resident(i));
  for (unsigned i = 0; i < p.slots(); ++i)
    if (const worker& guest = p.at(i); guest.is_guest && guest.door.looks_open()) add(guest);
  const std::uint64_t used = p.stack_use().in_use();
  return used > known ? used - known : 0;
}

idle_reason why_idle(const worker& w) noexcept {
  const surroundings found = look_around(w);
  if (found.has_private) return idle_reason::private_work;
  if (found.running == 1 && !found.has_public) return idle_reason::serial_phase;
  const auto somebody_waits = [&w] {
    return w.pool.blocking().threads_in_use() != 0 || suspended_fibers(w.pool) != 0;
  };
  if (found.running == 0 && somebody_waits()) return idle_reason::blocked;
  return idle_reason::no_work;
}

}  // namespace heist::inline v0::detail
