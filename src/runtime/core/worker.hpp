// A worker: a thread of a pool, its deque, and the fiber that it runs.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "heist/detail/hot_path.hpp"
#include "heist/detail/local.hpp"
#include "heist/detail/spawn_path.hpp"
#include "platform/cpu.hpp"
#include "runtime/core/check_library.hpp"
#include "runtime/core/counter_cells.hpp"
#include "runtime/core/fiber.hpp"
#include "runtime/core/fork_deque.hpp"
#include "runtime/core/histogram_cells.hpp"
#include "runtime/core/injection.hpp"
#include "runtime/core/seat.hpp"
#include "runtime/core/sleepers.hpp"
#include "runtime/core/steal_backoff.hpp"
#include "runtime/core/turns.hpp"
#include "runtime/notes.hpp"
#include "trace/log.hpp"

namespace heist::inline v0::detail {

struct work_log;
struct worker;

class pool_impl;

// The limit of a split deque under stats_kind::full or HEIST_CHECK=moves, while nobody asks. Every
// fork above position 0 then calls the library, and that position isn't used.
constexpr position counting_limit = 1;

// The slot of an entry that was the newest, and whether it is the owner's: otherwise it was stolen.
struct popped_entry {
  job* slot;
  bool is_owners;
};

// How a worker's forks reach its deque: chosen once, so that no fork asks what the pool is like.
// What is pushed is the job in the slot below the deque's head (fork_join.cpp).
struct fork_path {
  // fork_slow() and join_slow(), of that worker.
  bool (*fork)(worker& w);
  job* (*join)(worker& w);
  // fork() without a look at the pool's entry: the worker stays the same. False: the push was
  // refused (D1).
  bool (*push)(worker& w);
  // Pops the newest entry.
  popped_entry (*take)(worker& w);
};
// For pools with such deques.
[[nodiscard]] fork_path path_to(deque_kind kind) noexcept;
// For pools whose forks are counted, checked or measured, and for a worker that is alone.
extern const fork_path watched_path;

// A worker's note about the fiber that it leaves (switch.hpp).
struct after_switch_action {
  enum class kind : std::uint8_t {
    none,
    wait_for,  // it waits for `awaited`
    recycle,   // its function has ended: the fiber is free
    lend,  // its function has ended, and a spawner uses its slots (slots.hpp): the stack is free
    send_home,  // it is ready, and its home is another worker
  };

  local<kind> what{kind::none};
  local<fiber*> left{nullptr};
  local<rendezvous*> awaited{nullptr};
};

// What a worker does, for reports (pool_state.cpp).
enum class worker_state : std::uint8_t {
  searching,
  running,
  starved,  // it has no stack to begin anything on (serve_ready)
  parked,
};

// Each seat of a pool has two of these: one for its own thread, and one for guests (seat.hpp), of
// which at most one is at work.
struct alignas(platform::cache_line_bytes) worker : worker_front {
  enum class role : std::uint8_t { resident, guest };

  worker(pool_impl& p, unsigned i, role r) noexcept
      : pool(p), index(i), is_guest(r == role::guest), random(0x9E3779B97F4A7C15u * (i + 1)) {
    entry.lane = i;
  }

  [[nodiscard]] bool uses_split() const noexcept { return forks == nullptr; }
  // Where a fiber's first fork lies.
  [[nodiscard]] position first_position() const noexcept { return counts_all ? sizeof(job) : 0; }

  // The last place is kept for the owner of a scope that has filled all others with its children
  // (scope_state::run_refused): from there on every push takes the slow path.
  void set_room(control& c, std::size_t forks_at_most) const noexcept {
    c.capacity = static_cast<position>(forks_at_most * sizeof(job)) + first_position();
    c.unasked = counts_all ? counting_limit : std::max(last_place(c), counting_limit);
  }
  [[nodiscard]] static position last_place(const control& c) noexcept {
    return c.capacity - static_cast<position>(sizeof(job));
  }

  // Relaxed: for reports, and for begin_running().
  void set_state(worker_state s) noexcept { doing.store(s, std::memory_order_relaxed); }
  // To be called when it has found something, before it runs that. The fence's partner is that of a
  // guest that leaves: either the guest sees that this worker runs, or this worker's next push sees
  // the guest's request.
  void begin_running() noexcept {
    if (doing.load(std::memory_order_relaxed) == worker_state::running) return;
    set_state(worker_state::running);
    if (seen != nullptr) seen->end_idle();
    if (notes_idle) [[unlikely]]
      notes::idle_spell_ends(*this);
    std_parking::full_fence();
  }

  // No other worker is left: spawns are calls, waits block.
  void stay_alone() noexcept {
    alone = true;
    spawns = false;
    workers = 1;
    log = nullptr;
    path = watched_path;
  }

  // What thieves read, on lines of their own: of what its victim writes, an attempt takes only the
  // lines of its deque (docs/scaling.md).
  alignas(platform::cache_line_bytes) pool_impl& pool;
  const unsigned index;
  unsigned place = 0;  // constant, once its thread has started
  const bool is_guest;
  bool counts_all = false;  // every fork calls the library (counting_limit); constant
  // Written by the worker's thread before the pool's start gate opens, then constant. A guest
  // writes them when it enters; its deque is for itself only, others use a deque_view.
  control* deque = nullptr;  // in that thread's TLS; outlives all stealing: threads end together
  pid_t tid = 0;
  // Null in a pool that uses the split deque. Constant.
  std::unique_ptr<fork_deque> forks;
  std::unique_ptr<fork_deque> loot;

  // Used by the worker's thread only, whatever fiber runs.
  alignas(platform::cache_line_bytes) local<fiber*> cached{nullptr};  // free ones: max_cached
  local<unsigned> cached_count{0};
  local<bool> cache_is_trimmed{true};
  local<fiber*> reserve{nullptr};  // one more free fiber: for a wait when there is no other
  local<bool> starves{false};      // `reserve` is in use too: its own stack serves (serve_ready)
  local<std::uint64_t> random;
  local<unsigned> last_victim{0};
  local<unsigned> last_asked{~0U};  // whom it has asked since its last steal
  steal_backoff backoff;
  after_switch_action after{};
  fiber native{};                              // the thread's own stack, suspended while fibers run
  local<bool> greeted{false};                  // on_thread_start has been called
  local<bool> spawns{false};                   // a spawn leaves the spawner's rest to thieves
  local<bool> alone{false};                    // set by stay_alone()
  bool moves_joins = false;                    // HEIST_CHECK=moves; constant
  const check_library* lock_checks = nullptr;  // HEIST_CHECK=locks; constant
  work_log* log = nullptr;  // of a measured pool (strands.hpp), until stay_alone()
  // Its seat is vacant while it naps: then a guest takes it from the nappers' count. Written before
  // the seat is vacated.
  local<bool> naps{false};
  local<unsigned> stalled{0};        // suspended fibers that only this thread may resume
  local<unsigned> awaited_calls{0};  // for turns, see awaited_calls.cpp
  local<bool> owes_turn{false};
  local<bool> serves_entry{false};  // it has given its turn to an urgent root (T3)
  // For what is given to places (place_queues.hpp): whether it has just run such a root, and when
  // it found nothing but those of other places for the first time since it ran anything.
  local<bool> ran_placed{false};
  local<std::chrono::steady_clock::time_point> passed_places{};
  worker_turns turns;
  entry_access entry;
  // When it began a root last, in ticks. Others read it, relaxed: a hint.
  std::atomic<std::uint64_t> root_began{0};
  local<std::chrono::steady_clock::time_point> turn_began;

  // A guest's own call: the root that it runs first, and then helps with until it has ended.
  local<root*> call{nullptr};
  local<bool> call_is_new{false};
  // 1: the pool counts one stack more than are in use, for the next that this worker takes. So a
  // worker whose functions wait again and again doesn't write the pool's count. Others read it,
  // relaxed.
  std::atomic<unsigned> counted_stacks{0};
  // Free fibers that the last guest has left for the next one; the one that has no stack takes
  // them.
  std::atomic<fiber*> kept{nullptr};

  // Fibers of stalling joins that can continue. Any thread pushes (release), the owner takes all
  // (acquire). A stack: they come out newest first.
  alignas(platform::cache_line_bytes) std::atomic<fiber*> mailbox{nullptr};

  fork_path path{};  // constant, until stay_alone()
  // Null unless the pool measures (stats_kind::timed). Constant.
  std::unique_ptr<histogram_cells> seen;

  // For traces (tracing.hpp). Its lane and the region of its fiber, which thieves read (relaxed:
  // hints); the region of the job that it has just stolen; and its idle spell, if that is noted.
  std::atomic<std::uint32_t> lane{trace::no_lane}, region{0};
  // Of its thread, when that has ended; 0 before. Relaxed: numbers.
  std::atomic<std::uint64_t> processor_ns{0}, ready_ns{0};
  local<std::uint32_t> stolen_region{0};
  local<bool> notes_idle{false};
  local<idle_reason> idle_why{idle_reason::no_work};

  // For whose call it works: the root that some thread waits for, or nullptr. Relaxed: a hint for
  // guests, which steal only what belongs to their own calls.
  std::atomic<const root*> serves{nullptr};

  // Of a resident: whether a guest may work in its place. Of a guest: its deque, for thieves.
  alignas(platform::cache_line_bytes) basic_seat<std_parking> seat;
  basic_guest_door<std_parking, control> door;

  alignas(platform::cache_line_bytes) counter_cells count;
  std::atomic<worker_state> doing{worker_state::searching};  // its own thread writes it
  std::thread thread;

  static constexpr unsigned max_cached = 4;
};

// Whether work and span of the worker's pool are measured: then its forks take slow paths.
[[nodiscard]] inline bool is_measured(const worker& w) noexcept { return w.log != nullptr; }

// The deque of any worker, for other threads. A guest's can be gone: it lies in the guest's thread.
class deque_view {
 public:
  explicit deque_view(worker& w) noexcept
      : guest_(w.is_guest ? &w : nullptr), deque_(w.is_guest ? w.door.pin() : w.deque) {}
  ~deque_view() {
    if (guest_ != nullptr) guest_->door.unpin();
  }
  deque_view(const deque_view&) = delete;
  deque_view& operator=(const deque_view&) = delete;

  explicit operator bool() const noexcept { return deque_ != nullptr; }
  control& operator*() const noexcept { return *deque_; }
  control* operator->() const noexcept { return deque_; }

 private:
  worker* guest_;
  control* deque_;
};

// The worker that runs the caller; nullptr on a thread outside any pool. this_worker() is never
// inlined: see hot_path.hpp about addresses of thread-locals. worker_here() reads it anew.
worker* this_worker() noexcept;
inline worker* worker_here() noexcept { return static_cast<worker*>(this_worker_front()); }
// The fiber that it runs, or nullptr.
inline fiber* fiber_here() noexcept {
  worker_front* const w = this_worker_front();
  return w == nullptr ? nullptr : w->current.get();
}
void set_this_worker(worker* w) noexcept;
// Makes the calling thread a thread outside any pool again, as every thread is born.
void leave_pool() noexcept;
inline worker& self_worker() noexcept { return *this_worker(); }

}  // namespace heist::inline v0::detail
