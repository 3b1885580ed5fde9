#include "runtime/work/moves.hpp"

#include <sched.h>

#include <chrono>
#include <cstdint>

#include "heist/detail/root.hpp"
#include "heist/detail/waiting.hpp"
#include "runtime/core/pool_impl.hpp"

namespace heist::inline v0::detail {

namespace {

using namespace std::chrono_literals;

// Longer than a sleeping worker needs to come: some 50 us.
constexpr auto patience = 200us;
// More stacks are not used for this.
constexpr std::uint64_t stacks_for_each_worker = 32;

// Waits until over() is true, but not longer than that.
template <class Condition>
void be_patient(Condition&& over) noexcept {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!over() && std::chrono::steady_clock::now() < end) sched_yield();
}

// Relaxed: a worker that is seen to be idle too late, or too early, costs a moment.
bool is_idle(const worker& w) noexcept {
  return w.doing.load(std::memory_order_relaxed) != worker_state::running;
}

bool somebody_else_is_idle(const worker& w) noexcept {
  for (unsigned i = 0; i < w.pool.size(); ++i)
    if (i != w.index && is_idle(w.pool.resident(i)) && is_idle(w.pool.at(i))) return true;
  return false;
}

// Of the split deque. In others it isn't known without taking the item.
bool is_stolen(const worker& w, position h) noexcept {
  return w.uses_split() && w.deque->word.load().tail > h;
}

// A function that ends the wait of the one that has started it.
struct turn final : root {
  turn() noexcept : root(&end) { is_awaited = false; }
  static void end(root& self) noexcept { static_cast<turn&>(self).waiter.end(); }
  wait_point waiter;
};

}  // namespace

void offer_to_all(worker& w) noexcept {
  if (!w.uses_split() || w.alone) return;
  w.deque->expose_all();
  w.pool.wake_for_exposed(w);
}

void leave_to_thieves(worker& w, position h, const job& j) noexcept {
  if (w.alone || j.run == nullptr) return;
  be_patient([&] { return is_stolen(w, h) || !somebody_else_is_idle(w); });
}

void await_joiner(const job& j) noexcept {
  be_patient([&] { return j.state.look() != job::pending; });
}

void go_through_queue(worker& w) noexcept {
  const bool stays = w.alone || w.current.get()->stalls != 0 || is_measured(w) ||
                     w.pool.stack_use().in_use() > stacks_for_each_worker * w.pool.size() ||
                     somebody_else_is_idle(w);
  if (stays || w.pool.size() == 1) return;
  turn next;
  w.pool.start(next);
  next.waiter.wait();
}

}  // namespace heist::inline v0::detail
