// A worker: a thread of a pool, its deque, and the fiber that it runs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "heist/detail/hot_path.hpp"
#include "heist/detail/local.hpp"
#include "heist/detail/spawn_path.hpp"
#include "platform/cpu.hpp"
#include "runtime/counter_cells.hpp"
#include "runtime/fiber.hpp"
#include "runtime/fork_deque.hpp"

namespace heist::inline v0::detail {

class pool_impl;

// What to do as soon as a switch has left the old stack: that is when a suspended fiber may be
// handed out and a dead one recycled, not before, since until then its stack is in use.
struct after_switch_action {
  enum class kind : std::uint8_t { none, wait_for, recycle, lend, send_home };

  local<kind> what{kind::none};
  local<fiber*> left{nullptr};
  local<std::atomic<std::uintptr_t>*> awaited{nullptr};
};

// What a worker does, for reports (pool_state.cpp).
enum class worker_state : std::uint8_t {
  searching,
  running,
  starved,  // it has no stack to go on with (serve_ready)
  parked,
};

struct alignas(platform::cache_line_bytes) worker : worker_front {
  worker(pool_impl& p, unsigned i) noexcept
      : pool(p), index(i), random(0x9E3779B97F4A7C15u * (i + 1)) {}

  [[nodiscard]] bool uses_split() const noexcept { return forks == nullptr; }

  // Relaxed: nothing is decided by it.
  void now(worker_state s) noexcept { doing.store(s, std::memory_order_relaxed); }

  pool_impl& pool;
  const unsigned index;

  // Written by the worker's thread before the pool's start gate opens, then constant.
  control* deque = nullptr;  // in that thread's TLS; outlives all stealing: threads end together
  pid_t tid = 0;

  // The worker's own, whatever fiber runs.
  local<fiber*> cached{nullptr};  // free fibers, at most max_cached
  local<unsigned> cached_count{0};
  local<bool> cache_is_trimmed{true};
  local<fiber*> reserve{nullptr};  // one more free fiber: for a wait when no other is to be had
  local<bool> starves{false};      // not even that one: its own stack serves (serve_ready)
  local<std::uint64_t> random;
  local<unsigned> last_victim{0};
  after_switch_action after{};
  fiber native{};              // the thread's own stack, suspended while fibers run
  local<bool> greeted{false};  // on_thread_start has been called
  local<bool> spawns{false};   // spawn_kind::continuation is what it does
  local<bool> alone{false};    // no other worker is left: forks are calls, waits block

  // Any thread pushes (release), the owner takes all (acquire): fibers of stalling joins that can go
  // on. A stack: they come back newest first.
  alignas(platform::cache_line_bytes) std::atomic<fiber*> mailbox{nullptr};

  // In a pool with another deque than the split one, else null. Constant.
  std::unique_ptr<fork_deque> forks;
  std::unique_ptr<fork_deque> loot;

  alignas(platform::cache_line_bytes) counter_cells count;
  std::atomic<worker_state> doing{worker_state::searching};  // its own thread writes it
  std::thread thread;

  static constexpr unsigned max_cached = 4;
};

// The worker that runs the caller; nullptr on a thread outside any pool. Never inlined: see
// hot_path.hpp about addresses of thread-locals.
worker* this_worker() noexcept;
void set_this_worker(worker* w) noexcept;
// Makes the calling thread one outside any pool again, as every thread is born.
void leave_pool() noexcept;
inline worker& self_worker() noexcept { return *this_worker(); }

// Carries out what the fiber left behind asked for.
void run_after_switch() noexcept;

// A fiber to run next, from the cache, the pool or the system; nullptr if there is none to be had.
fiber* take_fiber(worker& w) noexcept;
void recycle_fiber(worker& w, fiber& f) noexcept;
// A fiber for the worker to go on with while its current one waits. Where the system refuses stacks it is
// the reserve, and then the thread's own stack, which goes on with others but runs nothing itself.
fiber& take_fiber_to_wait(worker& w) noexcept;
// Gives its cached fibers to workers that starve.
void share_cached(worker& w) noexcept;
// While w.starves: goes on with a fiber that can, or on a stack that has become free; returns when a fiber comes back
// here.
void serve_ready(worker& w) noexcept;

// Gives up the children's stacks that were kept ready for the next spawns.
void recycle_spares(worker& w) noexcept;

// Counts them anew: an inlined spawn keeps the count that it found, which is too low where children that came back
// meanwhile have made the list longer.
void recount_spares(worker& w) noexcept;

// One that used f's slots is through with them.
void drop_slots(worker& w, fiber& f) noexcept;
// f joins nothing any more in those of its older slots that begin at h or above.
void drop_older_slots(worker& w, fiber& f, position h) noexcept;
// f joins nothing at all any more, and leaves the slots that it used.
void leave_slots(worker& w, fiber& f) noexcept;

// Goes on with a suspended fiber; the current one is done with and recycled.
[[noreturn]] void resume(worker& w, fiber& f) noexcept;

// Leaves the fibers for the thread's own stack, for good.
[[noreturn]] void leave_fibers(worker& w) noexcept;

// Seats the empty deque for a fiber (split_control::reseat).
void seat(worker& w, position depth, char* slots) noexcept;

// Suspends the running fiber until `state` has been settled (settle()) and goes on with `next`: at
// depth h, with an empty deque. The thread can be another one afterwards.
void suspend_until_settled(worker& w, fiber& next, position h,
                           std::atomic<std::uintptr_t>& state) noexcept;

// The same for a thread outside: the thread sleeps.
void block_until_settled(std::atomic<std::uintptr_t>& state) noexcept;

// After take_private(h) said no: whether the newest entry, j of position h, is still the owner's.
bool take_back(worker& w, position h, job& j) noexcept;

// After take_private said no to a scope's pushed child: its slot if it is still the owner's, nullptr when another
// worker has run it. May suspend the fiber.
const job* join_child() noexcept;

// What a fiber does that is free for it: finds work, until the pool stops.
[[noreturn]] void run_loop() noexcept;

// The end of a child, where call_fiber is made of switches.
[[noreturn]] void return_to_spawner(fiber& self) noexcept;

// Waits for a state that isn't a join's: the running fiber may have forks open. Any thread.
void wait_until_settled(std::atomic<std::uintptr_t>& state) noexcept;

// Sets the final value of a state. A thread that waited for it is woken; a fiber is the caller's to let go on.
[[nodiscard]] fiber* settle_for_fiber(std::atomic<std::uintptr_t>& state,
                                      std::uintptr_t value) noexcept;

// Hands a fiber that can go on to its pool. Any thread.
void make_ready(fiber& f) noexcept;

// Sets the final value of a state; what waited for it goes on. A greedy fiber of this pool is
// resumed at once, on this worker, and then settle() does not return.
void settle(std::atomic<std::uintptr_t>& state, std::uintptr_t value) noexcept;

}  // namespace heist::inline v0::detail
