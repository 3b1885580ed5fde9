// A lock-free deque in a ring that never grows: push says when it is full, and no item is lost.
//
// Push stores the item, then publishes bottom. Steal reads top before bottom, reads the item, and
// takes it by raising top. Pop lowers bottom, executes a full barrier, and reads top. It must take
// the last item by raising top, as a thief would; of all other items it knows that no thief can
// take them.
//
// Roles. The owner pushes and pops at bottom, thieves steal at top.
//   bottom_     written by the owner only.
//   top_        raised in steps of one: by thieves, and by the owner's pop of the last item.
//   top_seen_   the owner's: a value that top_ had. Push looks at top_ itself only when by this one
//               the ring is full, so in most pushes the owner doesn't touch the thieves' line.
//   slots_      written by the owner. Read by thieves, which keep what they read only if top_ then
//               was still where they had seen it.
//
// Invariants.
//   I1  The items are those at [top_, bottom_), masked; bottom_ - top_ <= slots. While a pop is
//       going on, bottom_ may be one too low, in an empty deque below top_.
//   I2  top_ only grows. An item at position p is taken once: by the thread that raises top_ from p
//       to p + 1, or by the owner, which then knows that no thread will.
//   I3  The owner takes p without touching top_ only if it lowers bottom_ to p and then, a full
//       fence later, reads a top_ below p. A thief reads top_, a full fence, then bottom_. Of the
//       two fences one is first: either the thief sees the lowered bottom_ and leaves p alone, or
//       the owner sees the top_ that the thief saw.
//   I4  top_seen_ <= top_.
//   I5  A slot is written again only after its item was taken: push has seen the top_ beyond it.
//
// Source: the bounded deque of the job system that row B2 of the sources describes, a Chase-Lev
// deque (2005) without growth; orders after Lê, Pop, Cohen and Zappa Nardelli (2013). Departures:
// C++'s orders instead of x86's promises; positions have 64 bits, and a sign for the empty pop; a
// full ring is an answer instead of an overwritten job. The exchanges of top_ need not be seq_cst,
// since in C++20 (P0668) two fences also order what one side reads from a third thread. Bottom is
// lowered by a release store: a relaxed one would end the release sequence of the push before it,
// and thieves may read either.
//
// Widths. 2^63 positions: 292 years at one push a nanosecond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>

#include "heist/deque/atomics.hpp"
#include "heist/deque/capacity.hpp"
#include "heist/deque/concept.hpp"
#include "heist/detail/invariant.hpp"

namespace heist::inline v0::deque {

// concept.hpp says how a deque is used. This one holds a fixed number of items. Seam: the atomics,
// which only tests replace (atomics.hpp).
template <item T, class Seam = std_atomics>
class bounded_ring {
 public:
  // What its items are, and max_capacity, how many it can hold at most.
  using item_type = T;
  static constexpr std::size_t max_capacity = std::size_t{1} << 32;

  // The ring has space for `capacity` items, a power of two. Throws usage_error for an invalid
  // capacity, std::bad_alloc.
  explicit bounded_ring(std::size_t capacity = 1024)
      : mask_(static_cast<position>(checked_ring_capacity("bounded_ring", capacity, max_capacity)) -
              1),
        slots_(Seam::template new_slots<T>(capacity)) {
    if (slots_ == nullptr) throw std::bad_alloc();
  }
  ~bounded_ring() { Seam::free_slots(slots_, capacity()); }
  bounded_ring(const bounded_ring&) = delete;
  bounded_ring& operator=(const bounded_ring&) = delete;

  // The owner's end, for one thread at a time.
  class owner_end {
   public:
    // What owner() returns. The deque must outlive it.
    explicit owner_end(bounded_ring& d) noexcept : deque_(&d) {}
    // full: the ring holds `capacity` items. Costs two stores; no fence, no read-modify-write.
    [[nodiscard]] push_result push(T one) noexcept { return deque_->push(one); }
    // Takes the newest item. Costs one full fence, and for the last item an exchange.
    [[nodiscard]] std::optional<T> pop() noexcept { return deque_->pop(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    bounded_ring* deque_;
  };

  // A thief's end, for any number of threads, a copy each.
  class thief_end {
   public:
    // What thief() returns. The deque must outlive it.
    explicit thief_end(bounded_ring& d) noexcept : deque_(&d) {}
    // Takes the oldest item. Costs one full fence and an exchange.
    [[nodiscard]] steal_answer<T> steal() noexcept { return deque_->steal(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    bounded_ring* deque_;
  };

  // The two ends: owner() for the thread that pushes, thief() for those that steal.
  [[nodiscard]] owner_end owner() noexcept { return owner_end(*this); }
  [[nodiscard]] thief_end thief() noexcept { return thief_end(*this); }
  // How many items it can hold.
  [[nodiscard]] std::size_t capacity() const noexcept {
    return static_cast<std::size_t>(mask_) + 1;
  }

 private:
  using position = std::int64_t;
  template <class U>
  using atomic = typename Seam::template atomic<U>;

  atomic<T>& slot(position p) noexcept { return slots_[p & mask_]; }

  // ---- The owner.

  push_result push(T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);  // only the owner writes it
    if (b - top_seen_ > mask_ && !has_room(b)) return push_result::full;
    HEIST_INVARIANT("bounded_ring.hpp I5", b - top_seen_ <= mask_);
    // Relaxed: publish() releases it.
    slot(b).store(one, std::memory_order_relaxed);
    publish(b + 1);
    return push_result::ok;
  }

  // Loads the thieves' top again.
  bool has_room(position b) noexcept {
    // Acquire: partner is the release in claim(). The thief that took the item has read the slot
    // before this push writes it (I5).
    top_seen_ = top_.load(std::memory_order_acquire);
    return b - top_seen_ <= mask_;
  }

  // Release: partner is the acquire load of bottom_ in steal(); it carries the item and what it
  // points at.
  void publish(position b) noexcept { bottom_.store(b, std::memory_order_release); }

  std::optional<T> pop() noexcept {
    const position b = bottom_.load(std::memory_order_relaxed) - 1;  // only the owner writes it
    lower(b);
    // Relaxed: an older top only leads to the exchange in pop_last(), which compares; of the tops
    // that matter to I3 the fence in lower() shows the newest.
    const position t = top_.load(std::memory_order_relaxed);
    if (t < b) return slot(b).load(std::memory_order_relaxed);  // the owner wrote it itself
    HEIST_INVARIANT("bounded_ring.hpp I1", t <= b + 1);
    if (!pop_last(b, t)) return std::nullopt;
    return slot(b).load(std::memory_order_relaxed);
  }

  // Announces that position b is the owner's. Release: partner is the acquire load of bottom_ in
  // steal(), for the items below b. The fence: I3.
  void lower(position b) noexcept {
    if constexpr (requires { Seam::store_and_fence(bottom_, b); }) {
      Seam::store_and_fence(bottom_, b);
    } else {
      bottom_.store(b, std::memory_order_release);
      Seam::full_fence();
    }
  }

  // The deque holds at most the item at b (t == b), or none (t == b + 1).
  bool pop_last(position b, position t) noexcept {
    // Both are relaxed: the owner wrote the item itself, and publishes nothing.
    const bool one = t == b && top_.compare_exchange_strong(t, t + 1, std::memory_order_relaxed,
                                                            std::memory_order_relaxed);
    // Relaxed: a thief that reads it with an older top fails at its exchange, since top_ is b + 1.
    bottom_.store(b + 1, std::memory_order_relaxed);
    return one;
  }

  // ---- Thieves.

  steal_answer<T> steal() noexcept {
    // Relaxed: an older top fails at the exchange. It must be read before bottom_: the fence (I3).
    position t = top_.load(std::memory_order_relaxed);
    Seam::full_fence();
    // Acquire: partner is the release in publish() and lower().
    if (t >= bottom_.load(std::memory_order_acquire)) return {steal_result::empty, T{}};
    // Relaxed: the item that bottom_ promised, or a newer one, and then the exchange fails (I5).
    const T one = slot(t).load(std::memory_order_relaxed);
    if (!claim(t)) return {steal_result::lost, T{}};
    return {steal_result::taken, one};
  }

  // Release: partner is the acquire load in has_room(). Relaxed when it fails: nothing was read
  // that counts.
  bool claim(position t) noexcept {
    return top_.compare_exchange_strong(t, t + 1, std::memory_order_release,
                                        std::memory_order_relaxed);
  }

  // ---- Any thread. Relaxed: a hint.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const position t = top_.load(std::memory_order_relaxed);
    const position b = bottom_.load(std::memory_order_relaxed);
    return b > t ? static_cast<std::size_t>(b - t) : 0;
  }

  // The owner's line; a thief needs it whenever it reads bottom_.
  alignas(128) atomic<position> bottom_{0};
  position top_seen_ = 0;
  const position mask_;  // the capacity less one
  atomic<T>* const slots_;
  // The thieves' line.
  alignas(128) atomic<position> top_{0};
};

static_assert(work_stealing_deque<bounded_ring<void*>>);

}  // namespace heist::inline v0::deque
