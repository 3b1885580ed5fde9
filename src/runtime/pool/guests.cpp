// Threads from outside that work in a pool while they wait for their own calls (caller_kind).
//
// A guest takes the seat of a thread that sleeps (seat.hpp), runs its root on a fresh fiber, and is
// a worker like any other until that root has ended: other workers steal from it, and resume the
// root if they end what it waits for. While its root is suspended the guest steals from workers
// that serve the same call. When there is nothing more to steal it gives the seat back, so that the
// pool's own thread can be woken for other work, and waits as any thread outside does.
//
// Where no thread sleeps a guest takes one of the seats that callers have of their own
// (pool_config::caller_seats), in slots above the workers'. There is no thread in whose place it
// is, so it owes nobody anything when it leaves.
//
// How a guest leaves a worker's seat. The seat's thread becomes a sleeper again, without having
// run. A sleeper has to ask all owners for their next pushes, make them pass a barrier, and look
// whether there is work (sleepers.hpp); here the guest does that for it. Only a worker that runs
// can push: the heavy barrier is left out while all others search or sleep. A worker that has found
// something notes that it runs, passes a fence, and pushes then (worker::begin_running). So either
// the guest sees that it runs, or its pushes see that the guest has asked.
#include <sched.h>

#include "platform/barrier.hpp"
#include "platform/overflow.hpp"
#include "platform/process.hpp"
#include "platform/thread.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/fibers/free_fibers.hpp"
#include "runtime/fibers/slots.hpp"
#include "runtime/fibers/switch.hpp"
#include "runtime/waits/rendezvous.hpp"
#include "runtime/work/loop.hpp"

#if HEIST_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace heist::inline v0::detail {

namespace {

// The number that the system gives the calling thread, in the process in which it was asked for.
struct thread_number_in {
  unsigned process = ~0U;  // process_generation
  pid_t number = 0;
};
constinit thread_local thread_number_in known_number;
constinit thread_local unsigned last_seat = 0;
constinit thread_local unsigned last_own_seat = 0;

// Once for each thread in each process: what a pool's own threads do when they start.
[[gnu::cold, gnu::noinline]] void admit_this_thread() noexcept {
  platform::keep_alternate_stack();
  platform::asymmetric_barrier::instance().admit_this_thread();
  known_number = {platform::process_generation(), platform::thread_id()};
}

// A guest's fibers lie in `kept` while nobody has the seat, in one list.
void keep_fibers(worker& guest) noexcept {
  recycle_spares(guest);
  fiber* list = guest.cached;
  if (fiber* const f = guest.reserve) {
    f->next = list;
    list = f;
  }
  guest.reserve = nullptr;
  guest.cached = nullptr;
  guest.cached_count = 0;
  guest.kept.store(list, std::memory_order_release);  // partners: the exchanges
}

void put_all(fiber* list, stack_pool& to) noexcept {
  while (list != nullptr) {
    fiber* const next = list->next;
    to.put(*list);
    list = next;
  }
}

void take_kept_fibers(worker& guest) noexcept {
  fiber* const list = guest.kept.exchange(nullptr, std::memory_order_acquire);
  if (list == nullptr) return;
  take_over(*list);
  guest.reserve = list;
  guest.cached = list->next.get();
  for (const fiber* f = guest.cached; f != nullptr; f = f->next)
    guest.cached_count = guest.cached_count + 1;
}

}  // namespace

worker* pool_impl::enter() noexcept {
  if (guests_.empty()) return nullptr;
  worker* w = enter_workers_seat();
  if (w == nullptr) w = enter_own_seat();
  if (w != nullptr) return w;
  seatless_calls_.fetch_add(1, std::memory_order_relaxed);
  seat_wanted_.store(true, std::memory_order_relaxed);
  return nullptr;
}

worker* pool_impl::enter_workers_seat() noexcept {
  if (!sleepers_.any() && !nappers_.any()) return nullptr;
  for (unsigned k = 0; k < size(); ++k) {
    const unsigned i = (last_seat + k) % size();
    auto& seat = workers_[i]->seat;
    if (!seat.looks_vacant() || !seat.claim()) continue;
    if (!place_of(*workers_[i]).take_one_out()) {  // all are being woken
      seat.give_back();
      return nullptr;
    }
    last_seat = i;
    if (equip(*guests_[i])) return guests_[i].get();
    give_seat_back(*guests_[i]);
    return nullptr;
  }
  return nullptr;
}

worker* pool_impl::enter_own_seat() noexcept {
  const unsigned seats = slots() - size();
  for (unsigned k = 0; k < seats; ++k) {
    worker& guest = *guests_[size() + (last_own_seat + k) % seats];
    if (!guest.seat.looks_vacant() || !guest.seat.claim()) continue;
    last_own_seat = guest.index - size();
    seated_callers_.fetch_add(1, std::memory_order_relaxed);
    if (equip(guest)) return &guest;
    give_seat_back(guest);
    return nullptr;
  }
  return nullptr;
}

bool pool_impl::take_from_guests() noexcept {
  bool found = false;
  for (auto& guest : guests_) {
    fiber* const list = guest->kept.exchange(nullptr, std::memory_order_acquire);
    found = found || list != nullptr;
    put_all(list, stacks_);
  }
  return found;
}

// Gives the memory of the fibers that guests have left in the sleeper's slot, and in its share of
// the callers' own, back to the system.
void pool_impl::trim_kept(const worker& sleeper) noexcept {
  for (std::size_t i = sleeper.index; i < guests_.size(); i += size()) {
    std::atomic<fiber*>& kept = guests_[i]->kept;
    fiber* const list = kept.exchange(nullptr, std::memory_order_acquire);
    if (list == nullptr) continue;
    for (fiber* f = list; f != nullptr; f = f->next) trim(*f);
    fiber* none = nullptr;
    // Release: partners are the exchanges. A guest that has come and gone meanwhile has left its
    // own.
    if (!kept.compare_exchange_strong(none, list, std::memory_order_release,
                                      std::memory_order_relaxed))
      put_all(list, stacks_);
  }
}

// Makes the calling thread that worker; false: there is no memory for stacks.
bool pool_impl::equip(worker& guest) noexcept {
  if (known_number.process != generation_) admit_this_thread();
  take_kept_fibers(guest);
  // Like a worker it has two from the start. They are new ones: those of the pool may be all that
  // its own threads have left.
  if (guest.reserve.get() == nullptr) guest.reserve = stacks_.make();
  if (guest.cached.get() == nullptr && guest.reserve.get() != nullptr) {
    guest.cached = stacks_.make();
    guest.cached_count = guest.cached.get() == nullptr ? 0 : 1;
  }
  if (guest.cached.get() == nullptr) {
    keep_fibers(guest);
    return false;
  }
  fiber* const first = take_fiber(guest);
  control& c = current_control();
  guest.deque = &c;
  guest.tid = known_number.number;
  guest.exceptions = exception_globals::of_thread();
  guest.spawns = config_.spawn == spawn_kind::continuation;
  guest.alone = false;
  guest.serves_entry = false;
  guest.workers = size();
  guest.native.asan_bottom = nullptr;
#if HEIST_TSAN
  guest.native.tsan_context = __tsan_get_current_fiber();
#endif
  guest.current = first;
  guest.begin_running();
  // Relaxed: the barrier takes either number.
  __atomic_store_n(&tids_[size() + guest.index], guest.tid, __ATOMIC_RELAXED);
  guest.set_room(c, config_.fork_depth);
  c.reseat(guest.first_position(), first->slots);
  c.limit.store(c.unasked, std::memory_order_relaxed);  // before any thief knows it
  guest.door.open(c);
  // S1: a sleeper that has not seen this deque counts already. Partner: announce().
  // T3: the same for an urgent root, whose giver may have found the door closed. Relaxed: the fence
  // in open() comes before; partner: the one in wake_for_injection().
  if (sleepers_.any() || injection_.urgent() != 0) c.limit.store(0, std::memory_order_relaxed);
  set_this_worker(&guest);
  return true;
}

void pool_impl::leave(worker& guest) noexcept {
  guest.door.close([] { sched_yield(); });
  leave_pool();
  keep_fibers(guest);
  forget_free(guest);
  if (somebody_starves()) static_cast<void>(take_from_guests());
  give_seat_back(guest);
}

// Relaxed: it comes after a fence; partner: worker::begin_running.
bool pool_impl::another_runs(unsigned seat) const noexcept {
  const auto runs = [](const worker& w) {
    const worker_state s = w.doing.load(std::memory_order_relaxed);
    return s != worker_state::parked && s != worker_state::searching;
  };
  for (unsigned i = 0; i < slots(); ++i)
    if (i != seat && ((i < size() && runs(*workers_[i])) || runs(*guests_[i]))) return true;
  return false;
}

// Relaxed: a hint.
bool pool_impl::own_thread_runs() const noexcept {
  for (const auto& w : workers_)
    if (w->doing.load(std::memory_order_relaxed) == worker_state::running) return true;
  return false;
}

void pool_impl::give_seat_back(worker& guest) noexcept {
  guest.set_state(worker_state::parked);
  if (guest.seen != nullptr) guest.seen->forget_idle();
  if (guest.notes_idle) notes::idle_spell_ends(guest);
  const unsigned i = guest.index;
  if (i >= size()) {
    __atomic_store_n(&tids_[size() + i], workers_[0]->tid, __ATOMIC_RELAXED);
    seated_callers_.fetch_sub(1, std::memory_order_relaxed);
    return guest.seat.give_back();
  }
  worker& resident = *workers_[i];
  __atomic_store_n(&tids_[size() + i], resident.tid, __ATOMIC_RELAXED);
  place_of(resident).announce();
  if (!resident.naps) {  // nobody is asked on behalf of one that naps
    ask_all();
    std_parking::full_fence();  // partner: worker::begin_running
    if (another_runs(i)) heavy_barrier();
  }
  resident.seat.give_back();
  // Relaxed, both: they come after the fence in announce().
  if (resident.mailbox.load(std::memory_order_relaxed) != nullptr)
    place_of(resident).wake_all();  // one of them is the resident
  else if (anything_to_do(resident) && !wake_elsewhere(guest))
    nappers_.wake_one();
}

bool pool_impl::run_as_guest(root& r) noexcept {
  // What runs in a pool has the modes under which the pool was made, on whichever thread: fibers
  // that are made on this one pass them on.
  class pools_modes {
   public:
    explicit pools_modes(const platform::float_modes& pools) noexcept : differ_(own_ != pools) {
      if (differ_) pools.set();
    }
    ~pools_modes() {
      if (differ_) own_.set();
    }
    pools_modes(const pools_modes&) = delete;
    pools_modes& operator=(const pools_modes&) = delete;

   private:
    const platform::float_modes own_ = platform::float_modes::now();
    const bool differ_;
  } const modes(float_modes_);

  worker* const entered = enter();
  if (entered == nullptr) return false;
  worker& w = *entered;
  w.call = &r;
  w.call_is_new = true;
  fiber& first = *w.current;
  hand_over(first);
  {
    const checked_thread checked(checking_.library, longest_block_ns());
    switch_fiber(w.native, first);
    while (w.starves) serve_ready(w);
  }
#if HEIST_TSAN
  __tsan_acquire(&w);  // what the fibers did on this thread; partner: before_switch
#endif
  if (w.alone)
    leave_pool();  // in the child of fork(): the pool is the parent's
  else
    leave(w);
  return true;
}

}  // namespace heist::inline v0::detail
