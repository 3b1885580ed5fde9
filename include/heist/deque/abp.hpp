// The non-blocking deque of Arora, Blumofe and Plaxton: an array that is not a ring, and a tagged
// top.
//
// The array fills from position 0 upwards: the owner pushes and pops at bottom, thieves take at
// top. When the owner empties the deque, bottom and top go back to 0. A thief that stopped in front
// of its exchange would then meet a top that looks like the one it knew. So top has a tag in the
// same word (the two are called the age), and each return to 0 changes the tag.
//
// Roles. The owner pushes and pops, thieves steal.
//   bottom_   written by the owner only.
//   age_      its top raised by thieves, one at a time; put back to 0 under the next tag by the
//             owner only, when it found nothing or one item.
//   slots_    written by the owner. Read by thieves, which keep what they read only if the age was
//             still the same afterwards.
//
// Invariants.
//   I1  The items are those at [top, bottom_). bottom_ <= capacity, top <= capacity.
//   I2  Under one tag top only grows, and no tag comes again (below: Widths). So an item at
//       position p is taken once: by the thread that exchanges an age whose top is p, or by the
//       owner, which then knows that no thread will.
//   I3  The owner takes p without touching the age only if it lowers bottom_ to p and then, a full
//       fence later, reads a top below p. A thief reads the age, a full fence, then bottom_. Of the
//       two fences one is first: either the thief sees the lowered bottom_ and leaves p alone, or
//       the owner sees the top that the thief saw.
//   I4  A thread that sees a new tag sees bottom_ at 0, or what was pushed after that.
//
// Relaxed semantics, as in the paper: a steal may answer lost, but only if between its look and its
// exchange another operation took the top, or the owner found the deque empty and started again. It
// never answers empty for an item that lay there all the time. Push answers full when bottom_ has
// come to the end of the array, also if thieves have taken from its start: the places come back
// when a pop has taken the last item or has found none.
//
// Source: Arora, Blumofe and Plaxton, Thread scheduling for multiprogrammed multiprocessors (1998),
// figure 5. Departures: C++'s orders for the paper's sequential consistency; push checks for the
// end of the array. The orders are bounded_ring.hpp's, and for I4 release in reset() with the
// thief's fence as its partner.
//
// Widths. top has 16 bits, the tag 48. A thief is fooled only if it stands still between its look
// and its exchange while the owner empties the deque 2^48 times, or a multiple of that: 15 days at
// the measured 4.8 ns for a push and a pop. docs/memory_model.md has all widths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>

#include "heist/deque/abp_age.hpp"
#include "heist/deque/atomics.hpp"
#include "heist/deque/capacity.hpp"
#include "heist/deque/concept.hpp"
#include "heist/detail/invariant.hpp"

namespace heist::inline v0::deque {

// concept.hpp says how a deque is used. This one holds a fixed number of items. Seam: the atomics,
// which only tests replace (atomics.hpp).
template <item T, class Seam = std_atomics>
class abp {
 public:
  // What its items are, and max_capacity, how many it can hold at most.
  using item_type = T;
  static constexpr std::size_t max_capacity = abp_age::max_top;

  // Makes an array of `capacity` places. Throws usage_error for an invalid capacity,
  // std::bad_alloc.
  explicit abp(std::size_t capacity = 1024)
      : capacity_(static_cast<position>(checked_capacity("abp", capacity, max_capacity))),
        slots_(Seam::template new_slots<T>(capacity)) {
    if (slots_ == nullptr) throw std::bad_alloc();
  }
  ~abp() { Seam::free_slots(slots_, capacity_); }
  abp(const abp&) = delete;
  abp& operator=(const abp&) = delete;

  // The owner's end, for one thread at a time.
  class owner_end {
   public:
    // What owner() returns. The deque must outlive it.
    explicit owner_end(abp& d) noexcept : deque_(&d) {}
    // The paper's pushBottom. full: bottom has come to the end of the array; a pop that finds the
    // deque empty frees the places again. Costs two stores; no fence, no read-modify-write.
    [[nodiscard]] push_result push(T one) noexcept { return deque_->push(one); }
    // The paper's popBottom: takes the newest item. Costs one full fence, and for the last item an
    // exchange.
    [[nodiscard]] std::optional<T> pop() noexcept { return deque_->pop(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    abp* deque_;
  };

  // A thief's end, for any number of threads, a copy each.
  class thief_end {
   public:
    // What thief() returns. The deque must outlive it.
    explicit thief_end(abp& d) noexcept : deque_(&d) {}
    // The paper's popTop: takes the oldest item. Costs one full fence and an exchange.
    [[nodiscard]] steal_answer<T> steal() noexcept { return deque_->steal(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    abp* deque_;
  };

  // The two ends: owner() for the thread that pushes, thief() for those that steal.
  [[nodiscard]] owner_end owner() noexcept { return owner_end(*this); }
  [[nodiscard]] thief_end thief() noexcept { return thief_end(*this); }
  // How many items it can hold.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

 private:
  using position = std::uint32_t;
  template <class U>
  using atomic = typename Seam::template atomic<U>;

  // ---- The owner.

  push_result push(T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);  // only the owner writes it
    HEIST_INVARIANT("abp.hpp I1", b <= capacity_);
    if (b == capacity_) return push_result::full;
    // Relaxed: publish() releases it.
    slots_[b].store(one, std::memory_order_relaxed);
    publish(b + 1);
    return push_result::ok;
  }

  // Release: partner is the acquire load of bottom_ in steal(); it carries the item and what it
  // points at.
  void publish(position b) noexcept { bottom_.store(b, std::memory_order_release); }

  std::optional<T> pop() noexcept {
    position b = bottom_.load(std::memory_order_relaxed);  // only the owner writes it
    if (b == 0) return std::nullopt;                       // it was emptied, and is at its start
    lower(--b);
    // Acquire: partner is the release in claim(). The thief that took an item has read its slot
    // before the owner writes it again. An older top only leads to the exchange in pop_last(),
    // which compares; of the tops that matter to I3 the fence in lower() shows the newest.
    const abp_age age = age_.load(std::memory_order_acquire);
    if (age.top() < b) return slots_[b].load(std::memory_order_relaxed);  // the owner wrote it
    HEIST_INVARIANT("abp.hpp I1", age.top() <= b + 1);
    return pop_last(b, age);
  }

  // Announces that position b is the owner's. Release: partner is the acquire load of bottom_ in
  // steal(), for the items below b. The fence: I3.
  void lower(position b) noexcept {
    bottom_.store(b, std::memory_order_release);
    Seam::full_fence();
  }

  // The deque holds at most the item at b, or none: returns to position 0, under the next tag (I4).
  std::optional<T> pop_last(position b, abp_age age) noexcept {
    // Relaxed: a thief that reads it finds nothing, with any age. It comes before the new age,
    // which releases it.
    bottom_.store(0, std::memory_order_relaxed);
    const abp_age next = age.restarted();
    if (age.top() == b && empty_by_exchange(age, next))
      return slots_[b].load(std::memory_order_relaxed);  // the owner wrote it
    // A thief has the item, and no other can change the age: their bottom_ is b + 1 at most.
    // Release: I4, as in empty_by_exchange().
    age_.store(next, std::memory_order_release);
    return std::nullopt;
  }

  // Release: I4. Partner: the load of the age in steal(), with the fence behind it. Acquire when it
  // fails, for the reason that the load in pop() has.
  bool empty_by_exchange(abp_age age, abp_age next) noexcept {
    return age_.compare_exchange_strong(age, next, std::memory_order_release,
                                        std::memory_order_acquire);
  }

  // ---- Thieves.

  steal_answer<T> steal() noexcept {
    // Relaxed: an older age fails at the exchange. It must be read before bottom_: the fence, which
    // also acquires what the owner released with a new tag (I3, I4).
    const abp_age age = age_.load(std::memory_order_relaxed);
    Seam::full_fence();
    // Acquire: partner is the release in publish() and lower().
    if (age.top() >= bottom_.load(std::memory_order_acquire)) return {steal_result::empty, T{}};
    // Relaxed: the item that bottom_ promised, or a newer one, and then the exchange fails.
    const T one = slots_[age.top()].load(std::memory_order_relaxed);
    if (!claim(age)) return {steal_result::lost, T{}};
    return {steal_result::taken, one};
  }

  // Release: partner is the acquire load in pop(). Relaxed when it fails: nothing was read that
  // counts.
  bool claim(abp_age age) noexcept {
    return age_.compare_exchange_strong(age, age.raised(), std::memory_order_release,
                                        std::memory_order_relaxed);
  }

  // ---- Any thread. Relaxed: a hint.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    const position t = age_.load(std::memory_order_relaxed).top();
    const position b = bottom_.load(std::memory_order_relaxed);
    return b > t ? b - t : 0;
  }

  // The owner's line; a thief needs it whenever it reads bottom_.
  alignas(128) atomic<position> bottom_{0};
  const position capacity_;
  atomic<T>* const slots_;
  // The thieves' line.
  alignas(128) atomic<abp_age> age_{abp_age{}};
};

static_assert(work_stealing_deque<abp<void*>>);

}  // namespace heist::inline v0::deque
