// How a pool's worker sleeps, and what an idle pool gives back to the system. The protocol of
// sleeping: sleepers.hpp.
#include <chrono>

#include "runtime/core/pool_impl.hpp"
#include "runtime/notes.hpp"

namespace heist::inline v0::detail {

namespace {

// Relaxed: a hint; take_mail() acquires.
bool has_mail(const worker& w) noexcept {
  return w.mailbox.load(std::memory_order_relaxed) != nullptr;
}

}  // namespace

// A fiber that only this thread may resume can become ready any time: then nobody takes its seat.
basic_seat<std_parking>* pool_impl::seat_for_guests(worker& w) const noexcept {
  return guests_.empty() || w.stalled != 0 ? nullptr : &w.seat;
}

// Functions that waited have ended, and left more stacks than an idle pool keeps.
bool pool_impl::has_surplus() const noexcept {
  return stacks_.has_more_than(stack_pool::kept_when_idle);
}

// Gives surplus stacks back to the system, once all workers have slept for some time. True: the
// worker, which is announced as a sleeper, was woken meanwhile.
bool pool_impl::release_surplus(worker& w) noexcept {
  // A burst every second finds the stacks of the one before.
  constexpr auto before_releasing = std::chrono::seconds(2);
  const auto mail = [&w] { return has_mail(w); };
  std::chrono::nanoseconds time = before_releasing;
  do {
    if (sleepers_.wait_for(seat_for_guests(w), time, mail, park_bit(w.index))) return true;
    time = {};
    // The last one to fall asleep sees all the others.
  } while (sleepers_.counts().sleepers == size() &&
           stacks_.release_some(stack_pool::kept_when_idle) != 0);
  return false;
}

void pool_impl::sleep(worker& w) noexcept {
  sleepers_.announce();
  if (config_.deque == deque_kind::split) ask_all();
  heavy_barrier();  // S2, S9
  if (anything_to_do(w)) {
    sleepers_.retract();
    for (unsigned i = 0; i < slots(); ++i)
      if (i != w.index && config_.deque == deque_kind::split && expose(w, at(i))) break;
    return;
  }
  w.count.parks.add();
  w.set_state(worker_state::parked);
  notes::sleeps();
  const auto mail = [&w] { return has_mail(w); };
  places_.enter(w.index);
  // A short time first: giving memory back pays only before a long sleep.
  constexpr auto before_trimming = std::chrono::milliseconds(20);
  const platform::park_bits bit = park_bit(w.index);
  auto* const seat = seat_for_guests(w);
  if (w.cache_is_trimmed || !sleepers_.wait_for(seat, before_trimming, mail, bit)) {
    if (!w.cache_is_trimmed) {
      for (fiber* f = w.cached; f != nullptr; f = f->next) trim(*f);
      if (fiber* const f = w.reserve) trim(*f);
      w.cache_is_trimmed = true;
    }
    trim_kept(w);
    if (!has_surplus() || !release_surplus(w)) sleepers_.wait(seat, mail, bit);
  }
  wake_cost_.arrive();
  if (w.seen != nullptr) wake_timer_.arrive(w.seen->wake_ns);
  notes::is_woken(*this);
  w.set_state(worker_state::searching);
  places_.leave(w.index);
}

void pool_impl::nap(worker& w) noexcept {
  nappers_.announce();
  // Relaxed: this comes after the fence in announce().
  if (!injection_.empty() || stopping() || somebody_starves() ||
      (placed_ != nullptr && !placed_->empty()))
    return nappers_.retract();
  w.count.naps.add();
  w.set_state(worker_state::parked);
  notes::naps();
  w.naps = true;
  const auto mail = [&w] { return has_mail(w); };
  if (!nappers_.wait_for(seat_for_guests(w), steal_backoff::nap(size()), mail)) nappers_.retract();
  w.naps = false;
  notes::has_napped();
  w.set_state(worker_state::searching);
}

}  // namespace heist::inline v0::detail
