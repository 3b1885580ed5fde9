// A pool's threads: how they start, meet at the gate, and end. See "Start and stop" in README.md.
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "heist/error.hpp"
#include "platform/affinity.hpp"
#include "platform/barrier.hpp"
#include "platform/cpu_count.hpp"
#include "platform/nodes.hpp"
#include "platform/overflow.hpp"
#include "platform/thread.hpp"
#include "platform/topology.hpp"
#include "runtime/core/live_pools.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/switch.hpp"
#include "runtime/notes.hpp"
#include "runtime/work/loop.hpp"

#if HEIST_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace heist::inline v0::detail {

namespace {

std::string reason(int error) { return std::string(": ") + std::strerror(error); }

}  // namespace

void pool_impl::give_stacks_back(worker& w) noexcept {
  while (fiber* const f = w.cached) {
    w.cached = f->next.get();
    destroy_fiber(f);
  }
  if (fiber* const f = w.reserve) destroy_fiber(f);
}

std::unique_ptr<worker> pool_impl::make_guest(unsigned index) {
  auto guest = std::make_unique<worker>(*this, index, worker::role::guest);
  note_checks(*guest);
  if (measures()) guest->seen = std::make_unique<histogram_cells>();
  return guest;
}

void pool_impl::make_caller_seats(unsigned count) {
  try {
    for (unsigned k = 0; k < count; ++k) {
      guests_.push_back(make_guest(size() + k));
      guests_.back()->seat.vacate();
    }
  } catch (const std::bad_alloc&) {
    throw resource_error("no memory for a caller's seat" + reason(ENOMEM));
  }
}

void pool_impl::start_threads() {
  // Before the first thread starts: each thread must find its place in the list.
  const bool has_guests = config_.callers != caller_kind::wait;
  workers_.reserve(config_.workers);
  const unsigned callers = has_guests ? config_.caller_seats : 0;
  if (has_guests) guests_.reserve(std::size_t{config_.workers} + callers);
  tids_.reserve(std::size_t{2} * config_.workers + callers);
  const std::vector<std::vector<int>> cpus = processors_of_workers();  // until the gate was reached
  int refused = 0;
  for (unsigned i = 0; i < config_.workers; ++i) {
    std::unique_ptr<worker> w;
    std::unique_ptr<worker> guest;
    try {
      if (i == 0) injection_.make_lanes(config_.workers + callers);
      w = std::make_unique<worker>(*this, i, worker::role::resident);
      if (measures()) w->seen = std::make_unique<histogram_cells>();
      if (has_guests) guest = make_guest(i);
      shared_queue* const shared = shared_ ? &*shared_ : nullptr;
      w->forks = make_fork_deque(config_, shared);
      w->loot = make_fork_deque(config_, shared);
      if (measured_ != nullptr) notes::worker_is_made(*w, *measured_);
    } catch (const std::bad_alloc&) {
      if (i == 0) throw resource_error("no memory for a worker" + reason(ENOMEM));
      break;
    }
    // The first stack and the reserve are taken here, where a refusal can still be reported.
    fiber* const f = stacks_.get();
    w->reserve = f == nullptr ? nullptr : stacks_.get();
    if (w->reserve.get() == nullptr) {
      refused = errno;
      if (f != nullptr) stacks_.put(*f);
      if (i == 0)
        throw resource_error("no memory for a stack of " +
                             std::to_string(config_.stack_size >> 10) + " KiB" + reason(refused));
      break;
    }
    f->next = nullptr;
    w->cached = f;
    w->cached_count = 1;
    worker& place = *w;
    const std::span<const int> own = cpus.empty() ? std::span<const int>{} : cpus[i];
    auto thread = platform::try_start_thread([this, &place, own] { thread_main(place, own); });
    if (!thread) {
      refused = errno;
      stacks_.put(*f);
      stacks_.put(*w->reserve);
      if (i == 0) throw resource_error("the system refused every thread" + reason(refused));
      break;
    }
    w->thread = std::move(*thread);
    workers_.push_back(std::move(w));
    if (has_guests) guests_.push_back(std::move(guest));
  }
  missing_ = config_.workers - size();
  make_caller_seats(callers);
  // Every worker is there, with the address of its deque, before any may look at one.
  std::unique_lock hold(gate_mutex_);
  gate_changed_.wait(hold, [this] { return arrived_ == size(); });
  for (auto& w : workers_) tids_.push_back(w->tid);
  // A guest's place names a resident, whom it asks twice then, until a guest comes.
  for (auto& w : guests_) tids_.push_back(workers_[w->index < size() ? w->index : 0]->tid);
  if (config_.placement == placement_kind::free && config_.idle == idle_kind::park && size() > 1)
    places_.open_for(tids_, size());
  make_places();
}

std::vector<std::vector<int>> pool_impl::processors_of_workers() {
  std::vector<std::vector<int>> result;
  if (config_.placement == placement_kind::pinned) {
    const std::vector<int> cpus = platform::affinity_cpus();
    if (!cpus.empty())
      for (unsigned i = 0; i < config_.workers; ++i) result.push_back({cpus[i % cpus.size()]});
  } else if (config_.placement == placement_kind::by_node) {
    std::vector<platform::numa_node> nodes = platform::usable_nodes();
    if (config_.node >= 0) nodes = {nodes.at(static_cast<std::size_t>(config_.node))};
    std::vector<const platform::numa_node*> node_of_cpu;
    for (const auto& node : nodes) node_of_cpu.insert(node_of_cpu.end(), node.cpus.size(), &node);
    for (std::size_t i = 0; i < config_.workers && !node_of_cpu.empty(); ++i) {
      const platform::numa_node& node = *node_of_cpu[i * node_of_cpu.size() / config_.workers];
      result.push_back(node.cpus);
      nodes_of_workers_.push_back(node.number);
    }
  }
  return result;
}

// Neighbours on the same node are a place.
void pool_impl::make_places() {
  if (nodes_of_workers_.empty()) return;
  for (unsigned i = 0; i < size(); ++i) {
    if (i == 0 || nodes_of_workers_[i] != nodes_of_workers_[i - 1]) {
      place_nodes_.push_back(nodes_of_workers_[i]);
      place_workers_.push_back({i, i});
    }
    workers_[i]->place = static_cast<unsigned>(place_nodes_.size() - 1);
    place_workers_.back().end = i + 1;
  }
  if (place_nodes_.size() > 1)
    placed_ = std::make_unique<place_queues>(static_cast<unsigned>(place_nodes_.size()));
}

void pool_impl::note_distances(const platform::topology& map) {
  const std::vector<int> cpus = platform::affinity_cpus();
  if (cpus.empty()) return;
  for (unsigned i = 0; i < size(); ++i)
    for (unsigned k = 0; k < size(); ++k) {
      const int near = static_cast<int>(map.distance(cpus[i % cpus.size()], cpus[k % cpus.size()]));
      // Proximity tells two threads of one core from one processor; steal_distance doesn't.
      distances_.push_back(static_cast<steal_distance>(std::max(near - 1, 0)));
    }
}

bool pool_impl::asks_for_distances(const pool_config& c) noexcept {
  return c.stats != stats_kind::slow_path && c.placement == placement_kind::pinned && c.workers > 1;
}

bool pool_impl::asks_for_topology(const pool_config& c) noexcept {
  return c.victim == victim_kind::nearest || asks_for_distances(c);
}

void pool_impl::order_victims() {
  if (!asks_for_topology(config_)) return;
  const std::optional<platform::topology> map = platform::load_topology().found;
  if (asks_for_distances(config_) && size() > 1 && map) note_distances(*map);
  if (config_.victim != victim_kind::nearest) return;
  const std::vector<int> cpus = platform::affinity_cpus();
  near_first_.resize(size());
  for (unsigned i = 0; i < size(); ++i) {
    // Worker i is taken to be on processor i of the mask, which placement_kind::pinned makes true.
    const auto cpu_of = [&cpus](unsigned k) { return cpus.empty() ? 0 : cpus[k % cpus.size()]; };
    std::vector<std::pair<int, unsigned>> by_distance;
    for (unsigned k = 0; k < size(); ++k)
      if (k != i) {
        by_distance.emplace_back(map ? static_cast<int>(map->distance(cpu_of(i), cpu_of(k))) : 0,
                                 k);
      }
    std::sort(by_distance.begin(), by_distance.end());  // equally near ones by index
    for (const auto& [distance, k] : by_distance) near_first_[i].push_back(k);
  }
}

bool pool_impl::wait_at_gate() noexcept {
  std::unique_lock hold(gate_mutex_);
  ++arrived_;
  gate_changed_.notify_all();
  gate_changed_.wait(hold, [this] { return gate_ != gate::closed; });
  return gate_ == gate::open;
}

void pool_impl::open_gate(bool go) noexcept {
  const std::lock_guard hold(gate_mutex_);
  gate_ = go ? gate::open : gate::abandoned;
  gate_changed_.notify_all();
}

void pool_impl::note_checks(worker& w) const noexcept {
  w.counts_all = counts_forks();
  w.moves_joins = checking_.wanted.moves;
  if (checking_.wanted.locks) w.lock_checks = checking_.library;
  const bool is_watched = w.counts_all || w.moves_joins || is_measured(w);
  w.path = is_watched ? watched_path : path_to(config_.deque);
}

// Allocates nothing: a thread that has started has no way to report that there is no memory.
void pool_impl::thread_main(worker& w, std::span<const int> cpus) noexcept {
  const platform::alternate_stack handler_stack(static_cast<int>(w.index));
  platform::asymmetric_barrier::instance().admit_this_thread();
  platform::set_thread_name(config_.name, '-', w.index);
  // A refusal leaves the thread where the system puts it, which is right, only slower.
  if (!cpus.empty()) static_cast<void>(platform::bind_this_thread(cpus));
  control& c = current_control();
  w.deque = &c;
  w.tid = platform::thread_id();
  w.exceptions = exception_globals::of_thread();
  w.spawns = config_.spawn == spawn_kind::continuation;
  fiber* const first = w.cached;
  note_checks(w);
  w.set_room(c, config_.fork_depth);
  c.reseat(w.first_position(), first->slots);  // the gate's mutex orders all this
  if (config_.deque == deque_kind::split) {
    c.limit.store(c.unasked, std::memory_order_relaxed);
  } else {
    // Every push and every pop takes the slow path, which uses the other deque.
    control::state w0 = c.word.load();
    static_cast<void>(c.word.compare_exchange(w0, {0, 0, ~position{0}, 0}));
  }
  set_this_worker(&w);

  const bool started = wait_at_gate();
  w.workers = size();  // fewer than wanted, if some could not be made
  // A loop in a measured pool shows its parallelism even if nobody could help.
  if (w.log != nullptr && w.workers.get() < 2) w.workers = 2;
  if (started) {
#if HEIST_TSAN
    w.native.tsan_context = __tsan_get_current_fiber();
#endif
    w.cached = nullptr;
    w.cached_count = 0;
    stack_use_.add_one();
    w.current = first;
    hand_over(*first);
    const checked_thread checked(checking_.library, longest_block_ns());
    switch_fiber(w.native, *first);
    while (w.starves) serve_ready(w);
#if HEIST_TSAN
    __tsan_acquire(
        &w);  // what this thread's fibers did to its thread-locals; partner: before_switch
#endif
  }

  const platform::thread_usage used = platform::usage_of(w.tid);
  w.ready_ns.store(used.ready_ns, std::memory_order_relaxed);
  w.processor_ns.store(used.processor_ns, std::memory_order_relaxed);
  notes::thread_leaves();
  // All threads end together: this deque lies in the thread's memory, and others may still look.
  std::unique_lock hold(gate_mutex_);
  ++left_;
  if (started && left_ == arrived_) live_pools::remove(live_);
  gate_changed_.notify_all();
  gate_changed_.wait(hold, [this] { return left_ == arrived_; });
  hold.unlock();
  if (started && config_.on_thread_stop) {
    w.stay_alone();
    config_.on_thread_stop(w.index);
  }
  // Destructors of the thread's thread_local objects come next: for them this is a thread outside
  // any pool. No other thread looks at its deque any more.
  leave_pool();
}

void pool_impl::stop_threads() noexcept {
  stopping_.store(true, std::memory_order_release);  // partner: stopping()
  // Partner: sleepers::announce. Either we see who is announced, or they see that the pool stops.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wake_everybody();
  for (auto& w : workers_) w->thread.join();
}

}  // namespace heist::inline v0::detail
