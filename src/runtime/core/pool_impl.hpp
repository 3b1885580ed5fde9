// The inside of a pool: its workers, which of them sleep, and what comes in from outside.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "heist/config.hpp"
#include "heist/stats.hpp"
#include "platform/float_modes.hpp"
#include "platform/park.hpp"
#include "platform/topology.hpp"
#include "runtime/core/blocking.hpp"
#include "runtime/core/environment.hpp"
#include "runtime/core/histogram_cells.hpp"
#include "runtime/core/injection.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/place_queues.hpp"
#include "runtime/core/sleepers.hpp"
#include "runtime/core/sleeping_place.hpp"
#include "runtime/core/stack_pool.hpp"
#include "runtime/core/wake_cost.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0 {
class pool;
}

namespace heist::inline v0::detail {

struct debug_access;  // debug_layout.cpp
class work_measurement;

// What HEIST_CHECK asks of a pool. Throws usage_error for a bad value.
struct check_state {
  check_settings wanted = checks_from_environment();
  const check_library* library = check_library_for(wanted);
};

class pool_impl {
 public:
  // See pool's constructor, destructor and run().
  // `begin`: what a fresh fiber runs.
  pool_impl(pool& owner, pool_config config, fiber::entry begin);
  // Deletes it. In a child of fork() its threads, and what they held at that moment, are out of
  // reach: there its memory is left alone.
  static void discard(pool_impl* p) noexcept;
  pool_impl(const pool_impl&) = delete;
  pool_impl& operator=(const pool_impl&) = delete;

  // ---- For the public side.
  void run(root& r);
  // Pushes a root that nobody awaits; the destructor waits for it. Throws usage_error in a child of
  // fork().
  void start(root& r);
  // By a worker of this pool: gives the root to that place, and returns when it has ended.
  void run_placed(root& r, unsigned place) noexcept;
  // At least 1. The workers of a place have neighbouring numbers.
  [[nodiscard]] unsigned places() const noexcept {
    return placed_ == nullptr ? 1 : placed_->places();
  }
  struct worker_range {
    unsigned first, end;
  };
  [[nodiscard]] worker_range workers_of(unsigned place) const noexcept {
    return place_workers_[place];
  }
  // The kernel's number of the place's node.
  [[nodiscard]] int node_of(unsigned place) const noexcept { return place_nodes_[place]; }
  [[nodiscard]] place_queues* placed() const noexcept { return placed_.get(); }
  [[nodiscard]] pool_stats stats() const;
  [[nodiscard]] const pool_config& config() const noexcept { return config_; }
  [[nodiscard]] pool& owner() const noexcept { return owner_; }
  [[nodiscard]] const check_state& checking() const noexcept { return checking_; }
  [[nodiscard]] unsigned missing_workers() const noexcept { return missing_; }
  // Whether this process made it: a child of fork() inherits the memory, not the threads.
  [[nodiscard]] bool belongs_to_this_process() const noexcept;

  // ---- For its workers, and for those who settle what one of its fibers waits for.
  // Constant once the start gate is open.
  [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(workers_.size()); }
  // Those of the workers, then those that callers have of their own (pool_config::caller_seats).
  [[nodiscard]] unsigned slots() const noexcept {
    return guests_.empty() ? size() : static_cast<unsigned>(guests_.size());
  }
  // The worker whose thread is the pool's own; i < size().
  [[nodiscard]] worker& resident(unsigned i) const noexcept { return *workers_[i]; }
  // The one that is at work in that slot, if anybody is: a guest or the resident.
  [[nodiscard]] worker& at(unsigned i) const noexcept {
    if (i >= size()) return *guests_[i];
    return !guests_.empty() && guests_[i]->door.looks_open() ? *guests_[i] : *workers_[i];
  }
  // False for a seat that callers have of their own and none has taken. Relaxed: a hint.
  [[nodiscard]] bool is_in_use(unsigned slot) const noexcept {
    return slot < size() || guests_[slot]->door.looks_open();
  }
  // Whether callers are at work in seats of their own. Relaxed: a hint.
  [[nodiscard]] bool has_seated_callers() const noexcept {
    return seated_callers_.load(std::memory_order_relaxed) != 0;
  }
  // One of them, looked for from the seat of that number on, modulo their number; nullptr: none.
  [[nodiscard]] worker* seated_caller(std::uint64_t from) const noexcept {
    const unsigned seats = slots() - size();
    for (unsigned k = 0; k < seats; ++k) {
      worker& w = *guests_[size() + (from + k) % seats];
      if (w.door.looks_open()) return &w;
    }
    return nullptr;
  }

  // A suspended fiber can continue: on its home worker if it has one, else on any. `by`: the
  // calling worker of this pool, nullptr for another thread.
  void push_ready(fiber& f, const worker* by) noexcept;

  // The running fiber suspends for something else than a join. Takes what it has forked and not
  // joined off the deque: the newest, which has the next older one as `next`, and so on.
  [[nodiscard]] job* take_forks(worker& w) noexcept;
  // Moves such a list to the injection queue.
  void leave_behind(const worker& w, job* newest) noexcept;

  // Moves what a batched steal brought along there, too: nobody knows when this worker has a stack
  // to run it.
  void leave_loot_behind(worker& w) noexcept;
  // A worker has no stack to begin anything on. The other workers then give up the free ones that
  // they keep.
  void begin_starving() noexcept;
  // Puts the free fibers of guests that have left with those of the pool. False: there were none.
  bool take_from_guests() noexcept;
  void end_starving() noexcept { starving_.fetch_sub(1, std::memory_order_relaxed); }
  // Relaxed: a hint, except for the thread that ends what the starving worker waits for; there the
  // exchange on the state orders the two.
  [[nodiscard]] bool somebody_starves() const noexcept {
    return starving_.load(std::memory_order_relaxed) != 0;
  }
  // Reports once, on stderr, that there is no memory for stacks.
  void report_starvation() noexcept;

  // A thread that is no worker of the pool and hands it a fiber, or a root that nobody awaits,
  // visits the pool until that is done: otherwise it might run, and the pool end, in between.
  class visit {
   public:
    // Relaxed: handing the fiber over publishes it.
    explicit visit(pool_impl& p) noexcept : pool_(p) {
      pool_.visitors_.fetch_add(1, std::memory_order_relaxed);
    }
    // Release: the last access; partner in ~pool_impl.
    ~visit() { pool_.visitors_.fetch_sub(1, std::memory_order_release); }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    pool_impl& pool_;
  };
  [[nodiscard]] injection_queue& injection() noexcept { return injection_; }

  // Whether a pool of that (resolved) configuration asks for the machine's topology.
  [[nodiscard]] static bool asks_for_topology(const pool_config& c) noexcept;

  // Whether a push must answer the request that it sees (S7 in sleepers.hpp).
  [[nodiscard]] bool somebody_sleeps() const noexcept { return sleepers_.any(); }
  // An entry of a split deque was pushed and exposed: wakes a sleeper if there is one.
  void wake_for_exposed(worker& waker) noexcept;
  // The same for a push on any other deque, which every thief sees. Partner: the heavy barrier in
  // sleep(). Either the one that goes to sleep finds the entry, or it counts (S9).
  void wake_for_pushed(worker& waker) noexcept {
    std_parking::light_barrier();
    wake_another(waker);
  }
  // Wakes one more worker: the caller saw more work than it takes (S8).
  void wake_another(worker& waker) noexcept {
    if (sleepers_.any()) [[unlikely]]
      static_cast<void>(wake_one_for(waker));
  }

  // Every thread that may be at work in the pool executes a full barrier, as does the caller.
  void heavy_barrier() noexcept;

  // True once for each time that a caller has found no seat: then a worker without work should
  // sleep at once, so that the next call finds one. Relaxed: a hint.
  [[nodiscard]] bool seat_is_wanted() noexcept {
    return seat_wanted_.load(std::memory_order_relaxed) &&
           seat_wanted_.exchange(false, std::memory_order_relaxed);
  }

  // Whether one of the pool's own threads runs something at the moment.
  [[nodiscard]] bool own_thread_runs() const noexcept;

  // If an urgent root waits, asks all workers and guests for a turn (T3); one that has just begun
  // what came from the entry only if `ask_short_calls`.
  void ask_for_entry(bool ask_short_calls) noexcept;

  // Sleeps until there may be work; returns at once if there is.
  void sleep(worker& w) noexcept;

  // How long a worker should look for work before it sleeps.
  [[nodiscard]] std::chrono::nanoseconds patience() const noexcept { return wake_cost_.average(); }

  // Sleeps for a short time (steal_backoff.hpp). What comes from outside, or is meant for this very
  // worker, wakes it.
  void nap(worker& w) noexcept;

  // Waits until each of `count` workers, from number `first` on, has run or sleeps (yields.cpp).
  void yield_to(worker& w, unsigned first, unsigned count) noexcept;

  // For a thief: exposes what `victim` holds privately. True if anything became public.
  // `if_asked`: only if it has not answered the last request.
  bool expose(worker& thief, worker& victim, bool if_asked = false) noexcept;

  // False while a start hook, or anything that was started, is unfinished: it may be suspended.
  // Acquire: partner in stop_threads; all that was started before is counted then. The rest
  // relaxed: the epoch wakes the sleepers.
  [[nodiscard]] bool stopping() const noexcept {
    return stopping_.load(std::memory_order_acquire) &&
           unfinished_.load(std::memory_order_relaxed) == 0;
  }
  // The new work belongs to work that is already counted, and whatever orders those two also
  // orders this increment.
  void note_started() noexcept { unfinished_.fetch_add(1, std::memory_order_relaxed); }
  void note_finished() noexcept;
  [[nodiscard]] stack_pool& stacks() noexcept { return stacks_; }
  [[nodiscard]] blocking_crew& blocking() noexcept { return blocking_; }
  [[nodiscard]] stack_count& stack_use() noexcept { return stack_use_; }
  [[nodiscard]] const stack_count& stack_use() const noexcept { return stack_use_; }
  [[nodiscard]] sleepers::snapshot sleep_counts() const noexcept { return sleepers_.counts(); }

  // Victims of worker i from near to far, for victim_kind::nearest; empty otherwise.
  [[nodiscard]] const std::vector<unsigned>& near_first(unsigned i) const noexcept {
    return near_first_[i];
  }

  // How near two workers' processors are, for pool_histograms.
  [[nodiscard]] steal_distance distance(unsigned i, unsigned k) const noexcept {
    return distances_.empty() ? steal_distance::unknown : distances_[std::size_t{i} * size() + k];
  }

  // For traces: who has woken a worker last, and when. Relaxed: a measurement (tracing.hpp).
  std::atomic<std::uint32_t> traced_waker{0};
  std::atomic<std::uint64_t> traced_wake_ns{0};
  std::atomic<std::uint64_t> traced_stacks_from{0};  // ticks: when the stacks are counted again

 private:
  friend struct debug_access;
  ~pool_impl();
  void start_threads();
  [[nodiscard]] std::unique_ptr<worker> make_guest(unsigned index);
  void make_caller_seats(unsigned count);
  // The processors of each worker, by its number; empty: any.
  [[nodiscard]] std::vector<std::vector<int>> processors_of_workers();
  void make_places();
  static void give_stacks_back(worker& w) noexcept;

  // Guests (guests.cpp). enter(): nullptr if no seat is vacant, or there is no stack.
  worker* enter() noexcept;
  worker* enter_workers_seat() noexcept;
  worker* enter_own_seat() noexcept;
  [[nodiscard]] bool equip(worker& guest) noexcept;
  void leave(worker& guest) noexcept;
  void give_seat_back(worker& guest) noexcept;
  [[nodiscard]] bool another_runs(unsigned seat) const noexcept;
  bool run_as_guest(root& r) noexcept;
  void trim_kept(const worker& sleeper) noexcept;
  [[nodiscard]] bool has_surplus() const noexcept;
  [[nodiscard]] bool release_surplus(worker& w) noexcept;
  void stop_threads() noexcept;
  void note_checks(worker& w) const noexcept;
  [[nodiscard]] std::uint64_t longest_block_ns() const noexcept {
    return static_cast<std::uint64_t>(checking_.wanted.block.count());
  }
  // On these processors; none: wherever the system puts it.
  void thread_main(worker& w, std::span<const int> cpus) noexcept;
  bool wait_at_gate() noexcept;
  void open_gate(bool go) noexcept;
  [[nodiscard]] static bool asks_for_distances(const pool_config& c) noexcept;
  void order_victims();
  void note_distances(const platform::topology& map);
  [[nodiscard]] bool measures() const noexcept { return config_.stats != stats_kind::slow_path; }
  // Whether every fork calls the library.
  [[nodiscard]] bool counts_forks() const noexcept {
    return config_.stats == stats_kind::full || checking_.wanted.moves || checking_.wanted.locks;
  }
  [[nodiscard]] bool wake_one_for(worker& waker) noexcept;
  // Wakes one sleeper, on another processor than the waker's (sleeping_place.hpp); false: none.
  [[nodiscard]] bool wake_elsewhere(worker& waker) noexcept;
  void inject(root& r) noexcept;
  // Something has come to the entry. False: nobody sleeps.
  bool wake_for_injection() noexcept;
  void wake_everybody() noexcept;
  // The count among which that resident is, or will be when the guest in its seat leaves.
  [[nodiscard]] sleepers& place_of(const worker& resident) noexcept {
    return resident.naps ? nappers_ : sleepers_;
  }
  // A bit for each worker, or for each place. In a large pool some share one; then a wake-up may
  // reach another one than the preferred.
  [[nodiscard]] platform::park_bits park_bit(unsigned i) const noexcept {
    return platform::park_bits{1} << (placed_ == nullptr ? i : resident(i).place) % 32;
  }
  void send_home(fiber& f) noexcept;
  [[nodiscard]] basic_seat<std_parking>* seat_for_guests(worker& w) const noexcept;
  [[nodiscard]] bool anything_to_do(worker& w) noexcept;
  void ask_all() noexcept;

  pool& owner_;
  const std::shared_ptr<work_measurement> measured_;  // nullptr: this pool isn't
  pool_config config_;
  const unsigned generation_;  // of the process (process_generation)
  const bool print_stats_;
  const check_state checking_;
  const platform::float_modes float_modes_ = platform::float_modes::now();  // for all that it runs
  stack_pool stacks_;
  stack_count stack_use_;
  injection_queue injection_;
  std::optional<shared_queue> shared_;  // for deque_kind::shared_queue
  sleepers sleepers_;
  wake_cost wake_cost_;
  wake_timer wake_timer_;  // used if the pool measures (histogram_cells.hpp)
  sleepers nappers_;       // nobody asks for them: no push wakes one
  // Seldom written, and looked at by all who search.
  alignas(platform::cache_line_bytes) std::atomic<bool> seat_wanted_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> starvation_reported_{false};
  std::atomic<unsigned> starving_{0};
  std::atomic<unsigned> seated_callers_{0};  // in seats of their own
  std::atomic<std::uint64_t> seatless_calls_{0};
  // Written with each root that nobody awaits.
  alignas(platform::cache_line_bytes) std::atomic<std::size_t> unfinished_{0};  // start hooks too
  std::atomic<unsigned> visitors_{0};
  blocking_crew blocking_;               // it ends first: its threads hand fibers to those above
  pool_impl* next_abandoned_ = nullptr;  // in a child of fork(): see discard()
  live_pools::entry live_{*this};

  // Constant once the start gate is open.
  std::vector<std::unique_ptr<worker>> workers_;
  std::vector<std::unique_ptr<worker>> guests_;  // one for each slot; none if callers wait
  std::vector<pid_t> tids_;                      // the residents', then the guests'
  sleeping_places places_;
  std::vector<std::vector<unsigned>> near_first_;
  std::unique_ptr<place_queues> placed_;  // nullptr: there is one place
  std::vector<worker_range> place_workers_;
  std::vector<int> place_nodes_;
  std::vector<int> nodes_of_workers_;
  std::vector<steal_distance> distances_;  // of worker i to worker k, at i * size() + k; or empty
  unsigned missing_ = 0;

  // The start gate: no worker steals before all are there. And the exit: no thread ends, and takes
  // its deque with it, while another one may look at that.
  enum class gate : std::uint8_t { closed, open, abandoned };
  std::mutex gate_mutex_;
  std::condition_variable gate_changed_;
  gate gate_ = gate::closed;  // guarded by gate_mutex_, as are the next two
  unsigned arrived_ = 0;
  unsigned left_ = 0;
};

// Whether that guest has the seat of one that sleeps, and not one that callers have of their own.
[[nodiscard]] inline bool is_in_place_of_a_worker(const worker& guest) noexcept {
  return guest.index < guest.pool.size();
}

// Whether it is a guest that runs nothing but its own call.
[[nodiscard]] inline bool takes_own_only(const worker& w) noexcept {
  return w.is_guest && w.pool.config().callers != caller_kind::help;
}

}  // namespace heist::inline v0::detail
