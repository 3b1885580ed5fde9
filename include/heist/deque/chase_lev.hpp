// The deque of Chase and Lev: a ring that grows, with the owner at its bottom and thieves at its
// top.
//
// The owner pays one full fence for a pop and nothing for a push. A thief pays one compare_exchange
// for an item, and two more read-modify-writes on the same line, so that replaced arrays can be
// freed while thieves keep coming (see growable_ring.hpp).
//
// Roles. The owner: one thread at a time, through owner_end. Thieves: any others, each with a
// thief_end.
//   bottom_     one beyond the newest item. The owner writes it, with release when it publishes
//               items.
//   top_        the oldest item. Thieves raise it by one, and the owner for the last item; only by
//               compare_exchange.
//   seen_top_   the owner's: a top that it saw some time ago. push tests for a full array against
//               it, and so touches no line that thieves write until the array looks full.
//   ring_       the slots
//   visitors_   of the ring: thieves in the middle of a steal
//
// Invariants.
//   I1  top_ never comes down. bottom_ comes down by one in a pop, and goes up again if that finds
//       nothing. Between operations of the owner top_ <= bottom_, and the items are those at [top_,
//       bottom_).
//   I2  Positions start at 1, so that a pop of an empty deque has a bottom to lower; 64 bits don't
//       wrap.
//   I3  bottom_ - seen_top_ <= the ring's capacity, and seen_top_ <= top_: a slot is written again
//       only when the thief that took from it is done with it.
//   I4  The owner takes b without a compare_exchange only if after its fence it sees top_ < b. A
//       thief that takes b read top_ == b before its fence and bottom_ > b after it. Of two fences
//       one is first: either the thief sees the lowered bottom, or the owner sees that top.
//   I5  The last item goes to the thread that raises top_.
//
// Sources: Chase and Lev, Dynamic circular work-stealing deque (SPAA 2005); the memory orders are
// those of Lê, Pop, Cohen and Zappa Nardelli, Correct and efficient work-stealing for weak memory
// models (PPoPP 2013). Departures: bottom_ is stored with release and loaded with acquire, where
// the paper has a release fence, since ThreadSanitizer knows no fences; the new array is stored
// with release and loaded with acquire (a relaxed store, which has been used, lets a thief read
// slots that aren't written yet); a steal's load of top_ is relaxed, since the fence follows it;
// old arrays are freed; a steal looks first whether there is anything, before it writes to
// anything; positions start at 1.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "heist/deque/atomics.hpp"
#include "heist/deque/capacity.hpp"
#include "heist/deque/concept.hpp"
#include "heist/deque/growable_ring.hpp"
#include "heist/detail/invariant.hpp"

namespace heist::inline v0::deque {

// concept.hpp says how a deque is used. This one grows when it is full, and shrinks on request.
// Seam: the atomics, which only tests replace (atomics.hpp).
template <item T, class Seam = std_atomics>
class chase_lev {
  using ring = growable_ring<T, Seam>;
  using position = typename ring::position;

 public:
  // What its items are, and max_capacity, how many it can hold at most.
  using item_type = T;
  static constexpr std::size_t max_capacity = ring::max_capacity;

  // The deque has space for `capacity` items, a power of two, before it grows; it doubles when it
  // is full. Throws usage_error for an invalid capacity, std::bad_alloc.
  explicit chase_lev(std::size_t capacity = 64)
      : least_(checked_ring_capacity("chase_lev", capacity, max_capacity)),
        ring_(capacity, visitors_) {}
  chase_lev(const chase_lev&) = delete;
  chase_lev& operator=(const chase_lev&) = delete;

  // The owner's end, for one thread at a time.
  class owner_end {
   public:
    // What owner() returns. The deque must outlive it.
    explicit owner_end(chase_lev& d) noexcept : deque_(&d) {}
    // full: max_capacity is reached or the system refuses memory.
    [[nodiscard]] push_result push(T one) noexcept { return deque_->push(one); }
    // Takes the newest item. Costs one full fence, and for the last item an exchange.
    [[nodiscard]] std::optional<T> pop() noexcept { return deque_->pop(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }
    // Frees the memory that the items don't need, but keeps the capacity with which the deque was
    // made. The old array is freed as soon as no thief reads it, by a later growth, shrink_to_fit
    // or pop that finds nothing. false: not now, since a thief may still read an array that was
    // replaced before, or the system refuses memory.
    bool shrink_to_fit() noexcept { return deque_->shrink_to_fit(); }

   private:
    chase_lev* deque_;
  };

  // A thief's end, for any number of threads, a copy each.
  class thief_end {
   public:
    // What thief() returns. The deque must outlive it.
    explicit thief_end(chase_lev& d) noexcept : deque_(&d) {}
    // Takes the oldest item. Costs one full fence and an exchange.
    [[nodiscard]] steal_answer<T> steal() noexcept { return deque_->steal(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    chase_lev* deque_;
  };

  // The two ends: owner() for the thread that pushes, thief() for those that steal.
  [[nodiscard]] owner_end owner() noexcept { return owner_end(*this); }
  [[nodiscard]] thief_end thief() noexcept { return thief_end(*this); }
  // How many items it can hold without growing.
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.capacity(); }
  // How often the array was replaced, by a larger or a smaller one.
  [[nodiscard]] std::uint64_t resizes() const noexcept { return ring_.resizes(); }

 private:
  // ---- The owner.

  push_result push(T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);  // relaxed: the owner's own
    if (!ring_.has_room(seen_top_, b)) [[unlikely]]
      return push_after_growth(b, one);
    publish(b, one);
    return push_result::ok;
  }

  // The array is full for the top that the owner saw last. Not inlined, so that push needs no stack
  // frame.
  [[gnu::noinline]] push_result push_after_growth(position b, T one) noexcept {
    look_at_top();
    if (!ring_.reserve(seen_top_, b)) return push_result::full;
    publish(b, one);
    return push_result::ok;
  }

  // Release: partner is the load in steal; it publishes the slot and what the item points at.
  void publish(position b, T one) noexcept {
    HEIST_INVARIANT("chase_lev.hpp I3", ring_.has_room(seen_top_, b));
    ring_.put(b, one);
    bottom_.store(b + 1, std::memory_order_release);
  }

  // Acquire: partner is the exchange in steal. Afterwards the slot that the thief has read may be
  // written (I3).
  void look_at_top() noexcept { seen_top_ = top_.load(std::memory_order_acquire); }

  std::optional<T> pop() noexcept {
    const position b = bottom_.load(std::memory_order_relaxed) - 1;  // relaxed: the owner's own
    // Release, as in push: a thief that reads the lowered bottom takes items below it.
    bottom_.store(b, std::memory_order_release);
    Seam::full_fence();  // I4: bottom before top; partner: the thief's fence, in visit::confirm
    // Relaxed: the fence orders it, and items come from the owner itself.
    const position t = top_.load(std::memory_order_relaxed);
    if (t < b) [[likely]]
      return ring_.at(b);
    HEIST_INVARIANT("chase_lev.hpp I1", t <= b + 1);
    if (!pop_last(b, t)) return std::nullopt;
    return ring_.at(b);
  }

  // At most one item was left, at b; thieves may be after it.
  [[gnu::noinline]] bool pop_last(position b, position t) noexcept {
    const bool last = t == b && claim(t);
    // Relaxed: the deque is empty, so there is nothing to publish.
    bottom_.store(b + 1, std::memory_order_relaxed);
    if (ring_.has_retired()) ring_.reclaim();
    return last;
  }

  bool shrink_to_fit() noexcept {
    look_at_top();
    // Relaxed: the owner's own.
    return ring_.shrink(seen_top_, bottom_.load(std::memory_order_relaxed), least_);
  }

  // ---- Thieves.

  steal_answer<T> steal() noexcept {
    if (looks_empty()) return {steal_result::empty, T{}};
    typename ring::visit visit(ring_);
    position t = 0;
    // Relaxed: the fence orders it before bottom, and nothing is read through it. The paper has
    // acquire.
    do t = top_.load(std::memory_order_relaxed);
    while (!visit.confirm());  // a full fence: top before bottom (I4)
    // Acquire: partners are the stores in publish and pop.
    const position b = bottom_.load(std::memory_order_acquire);
    if (t >= b) return {steal_result::empty, T{}};
    const T one = visit.current().at(t);  // before the claim: then the slot may be written again
    if (!claim(t)) return {steal_result::lost, T{}};
    return {steal_result::taken, one};
  }

  // Writes nothing, since idle thieves look again and again. Acquire on top: the bottom that is
  // read after it isn't older than the one that the taker of the previous item saw. Relaxed on
  // bottom: nothing is read through it.
  bool looks_empty() const noexcept {
    const position t = top_.load(std::memory_order_acquire);
    return t >= bottom_.load(std::memory_order_relaxed);
  }

  // ---- Both.

  // Takes the item at t, unless another thread has. seq_cst as published. Of that, look_at_top
  // needs the release: the thief's read of the slot comes before it. Relaxed when it fails: the
  // caller gives up t.
  bool claim(position t) noexcept {
    return top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                        std::memory_order_relaxed);
  }

  // Relaxed: a hint. bottom may be one below top while a pop finds nothing.
  std::size_t size_hint() const noexcept {
    const position t = top_.load(std::memory_order_relaxed);
    const position b = bottom_.load(std::memory_order_relaxed);
    return b > t ? b - t : 0;
  }

  // The thieves' line; the owner's pop reads it.
  alignas(128) typename Seam::template atomic<position> top_{1};
  typename ring::visitors visitors_;
  // The owner's line; thieves read bottom_, and what the ring keeps for them, which changes seldom.
  alignas(128) typename Seam::template atomic<position> bottom_{1};
  position seen_top_ = 1;
  const std::size_t least_;  // the capacity that it was made with
  ring ring_;
};

static_assert(work_stealing_deque<chase_lev<void*>>);

}  // namespace heist::inline v0::deque
