// The array of a deque that grows: positions of 64 bits, masked, over a power of two of slots.
//
// The owner replaces a full array by a larger one, and on request by a smaller one, while thieves
// continue to steal. A thief may still read the array that was replaced, so that one is retired,
// and freed once no thief can hold it. The published deque leaves this to a garbage collector.
//
// Roles. The owner: one thread at a time. Thieves: any others, each inside a `visit` for one steal.
//   slots_, log_, mask_   the owner's: the array in use
//   retired_, waiting_    the owner's: sets of sizes, see below
//   table_[log]           the array of 2^log slots, or nullptr. The owner writes it, thieves read
//                         the entry that current_ names.
//   current_              the log of the array in use. The owner stores it with release after the
//                         copy, thieves load it with acquire: without that a thief reads slots that
//                         aren't written yet.
//   epoch_                how many grace periods have begun; the owner's
//   resizes_              how often the array was replaced; the owner's, read by anyone
//   visitors              thieves count themselves in and out, by the parity of the epoch that they
//                         saw. The deque places it beside its top: a thief that takes something
//                         writes that line anyway.
//
// A visit: read the epoch e; count in visitors[e & 1]; full fence; read the epoch again, and if it
// has moved, count out and start over. Only then is current_ read. The fence is the one that a
// steal needs anyway between its loads of top and bottom: the caller reads top before confirm() and
// bottom after it.
//
// Reclaiming. An array that is replaced joins retired_. Unless a grace period is running, one
// begins: retired_ becomes waiting_, the epoch moves from e to e + 1, full fence. The period ends,
// and waiting_ is freed, as soon as visitors[e & 1] is seen 0. New thieves count under the other
// parity, so they don't delay it, however many come. Arrays that are retired meanwhile wait for the
// next period.
//
// Invariants.
//   I1  A thief that holds an array is counted from before its fence until it has read what it
//       reads.
//   I2  A thief confirmed at epoch k is counted in visitors[k & 1]; the grace period that moves k
//       to k + 1 doesn't end before it leaves. Its second look saw k, so its fence came before the
//       owner's that follows the store of k + 1, and so every later look of the owner sees it
//       counted.
//   I3  So while it visits, the only period that can end is the one that moved k - 1 to k. That
//       frees what was retired before the epoch became k; the second look acquired that epoch, and
//       with it a current_ that names none of those.
//   I4  Arrays that are alive have different sizes: a retired array of the size that is needed is
//       taken back, and none is allocated. So together they are smaller than twice the largest,
//       even if a thief is stalled in the middle of a steal for ever. Growing stays possible then;
//       shrinking is refused as long as anything is retired.
//   I5  A slot at a position from top to bottom - 1 holds its item in every array that a thief
//       which saw that bottom can hold: copies are of the same item to the same position, and a
//       position is reused only after top has passed it, when the thief's exchange of top fails.
//
// Sources: growing as in Chase and Lev, Dynamic circular work-stealing deque (SPAA 2005); the
// counters by parity as in the sleepable RCU of McKenney, with a second look at the epoch instead
// of a second flip.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "heist/deque/atomics.hpp"
#include "heist/deque/concept.hpp"

namespace heist::inline v0::deque {

// Seam: the atomics, which only tests replace (atomics.hpp).
template <item T, class Seam = std_atomics>
class growable_ring {
 public:
  // A position counts items since the ring was made; a slot holds one item.
  using position = std::uint64_t;
  using slot = typename Seam::template atomic<T>;

  // max_capacity, the greatest capacity, and its logarithm to the base 2.
  static constexpr unsigned max_log = 32;
  static constexpr std::size_t max_capacity = std::size_t{1} << max_log;

  // How many thieves visit, by the parity of their epoch.
  struct visitors {
    // In even epochs, and in odd ones.
    typename Seam::template atomic<std::uint64_t> count[2] = {0, 0};
  };

  // `capacity`: a power of two, at most max_capacity. std::bad_alloc if there is no memory for it.
  // `thieves` must outlive the ring.
  growable_ring(std::size_t capacity, visitors& thieves)
      : log_(log_of(capacity)), mask_(capacity - 1), visitors_(&thieves), current_(log_) {
    slots_ = table_[log_] = Seam::template new_slots<T>(capacity);
    if (slots_ == nullptr) throw std::bad_alloc();
  }
  // No thief may visit any more.
  ~growable_ring() {
    for (unsigned log = 0; log <= max_log; ++log)
      if (table_[log] != nullptr) free_array(log);
  }
  growable_ring(const growable_ring&) = delete;
  growable_ring& operator=(const growable_ring&) = delete;

  // The capacity of the array in use. Any thread may ask. Relaxed: the answer was true some moments
  // ago.
  [[nodiscard]] std::size_t capacity() const noexcept {
    return std::size_t{1} << current_.load(std::memory_order_relaxed);
  }

  // How often the array was replaced. Any thread may ask. Relaxed: a number that carries nothing.
  [[nodiscard]] std::uint64_t resizes() const noexcept {
    return resizes_.load(std::memory_order_relaxed);
  }

  // ---- The owner.

  // Whether all of [top, bottom) and `more` items beyond, at least 1, fit into the array in use.
  [[nodiscard]] bool has_room(position top, position bottom, std::size_t more = 1) const noexcept {
    return bottom - top + (more - 1) <= mask_;
  }

  // Relaxed: the store of bottom that follows hands the slot to thieves.
  void put(position p, T one) noexcept { slots_[p & mask_].store(one, std::memory_order_relaxed); }
  // Relaxed: the owner wrote it.
  [[nodiscard]] T at(position p) const noexcept {
    return slots_[p & mask_].load(std::memory_order_relaxed);
  }

  // Makes room for `more` items beyond [top, bottom), growing as far as that takes. `top` may be
  // older than the deque's. false: more than max_capacity, or no memory; nothing has changed then.
  [[nodiscard]] bool reserve(position top, position bottom, std::size_t more = 1) noexcept {
    if (has_room(top, bottom, more)) return true;
    if (bottom - top + more > max_capacity) return false;
    return move_to(log_of(bottom - top + more), top, bottom);
  }

  // Changes to the smallest array that holds [top, bottom) and has at least `least` slots. false: a
  // smaller array would do, but a thief may still hold an array that was replaced before, or there
  // is no memory.
  [[nodiscard]] bool shrink(position top, position bottom, std::size_t least) noexcept {
    const std::size_t items = bottom - top;
    const unsigned log = log_of(items < least ? least : items);
    if (log >= log_) return true;
    reclaim();
    return !has_retired() && move_to(log, top, bottom);
  }

  // Whether arrays wait to be freed.
  [[nodiscard]] bool has_retired() const noexcept { return (retired_ | waiting_) != 0; }

  // Frees the arrays that no thief can hold any more. Never waits.
  void reclaim() noexcept {
    for (;;) {
      if (in_grace_) {
        if (!old_visitors_left()) return;
        in_grace_ = false;
        for (; waiting_ != 0; waiting_ &= waiting_ - 1)
          free_array(static_cast<unsigned>(std::countr_zero(waiting_)));
      }
      if (retired_ == 0) return;
      begin_grace();
    }
  }

  // ---- Thieves.

  // The array that was in use at some moment of the visit.
  class array {
   public:
    // The slot may hold another item by now: then the exchange of top fails (I5). Relaxed: bottom,
    // or current_ for a copy, was acquired before.
    [[nodiscard]] T at(position p) const noexcept {
      return slots_[p & mask_].load(std::memory_order_relaxed);
    }

   private:
    friend growable_ring;
    array(const slot* slots, std::uint64_t mask) noexcept : slots_(slots), mask_(mask) {}
    const slot* slots_;
    std::uint64_t mask_;
  };

  // For the time of one steal:
  //
  //     typename ring::visit visit(ring_);
  //     do t = top_.load(relaxed); while (!visit.confirm());   // a full fence
  //     b = bottom_.load(acquire); if (t >= b) return empty;
  //     item = visit.current().at(t); exchange top
  class visit {
   public:
    // Begins a visit: while it lasts, the array that it sees is not freed.
    explicit visit(growable_ring& ring) noexcept : ring_(&ring) { enter(); }
    ~visit() { leave(); }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

    // Executes a full fence. false: the epoch moved meanwhile and this thief is counted anew; the
    // caller must load top again and confirm again. That happens only when an array is replaced.
    [[nodiscard]] bool confirm() noexcept {
      Seam::full_fence();  // partner: the one in begin_grace (I2)
      // Acquire: partner is the store in begin_grace (I3).
      if (ring_->epoch_.load(std::memory_order_acquire) == epoch_) return true;
      leave();
      enter();
      return false;
    }

    // To be called only when confirmed. Acquire: partner is the store in move_to, which publishes
    // the copied slots.
    [[nodiscard]] array current() const noexcept {
      const std::uint32_t log = ring_->current_.load(std::memory_order_acquire);
      return array(ring_->table_[log], (std::uint64_t{1} << log) - 1);
    }

   private:
    // Both are relaxed: the fence in confirm() orders the count before the second look, which
    // detects a stale epoch.
    void enter() noexcept {
      epoch_ = ring_->epoch_.load(std::memory_order_relaxed);
      ring_->visitors_->count[epoch_ & 1].fetch_add(1, std::memory_order_relaxed);
    }
    // Release: partner is the load in old_visitors_left; what this thief read is freed after it.
    void leave() noexcept {
      ring_->visitors_->count[epoch_ & 1].fetch_sub(1, std::memory_order_release);
    }

    growable_ring* ring_;
    std::uint64_t epoch_ = 0;
  };

 private:
  // The log of the smallest power of two that isn't below `slots`, which is at least 1.
  static constexpr unsigned log_of(std::size_t slots) noexcept {
    return static_cast<unsigned>(std::bit_width(slots - 1));
  }
  static constexpr std::uint64_t set_of(unsigned log) noexcept { return std::uint64_t{1} << log; }

  // Puts [top, bottom) into the array of 2^log slots, where they fit, and retires the one in use.
  bool move_to(unsigned log, position top, position bottom) noexcept {
    if (table_[log] == nullptr) table_[log] = Seam::template new_slots<T>(std::size_t{1} << log);
    if (table_[log] == nullptr) return false;
    // I4: taken back. It isn't in retired_: there are smaller ones only, since nothing shrinks
    // while anything is retired.
    waiting_ &= ~set_of(log);
    slot* const target = table_[log];
    const std::uint64_t mask = set_of(log) - 1;
    // Relaxed: the store of current_ publishes them.
    for (position p = top; p != bottom; ++p)
      target[p & mask].store(at(p), std::memory_order_relaxed);
    retired_ |= set_of(log_);
    slots_ = target;
    log_ = log;
    mask_ = mask;
    current_.store(log, std::memory_order_release);  // partner: the load in visit::current
    // Relaxed, a load and a store: only the owner writes it.
    resizes_.store(resizes_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    reclaim();
    return true;
  }

  void begin_grace() noexcept {
    waiting_ = retired_;
    retired_ = 0;
    in_grace_ = true;
    // Relaxed: only the owner writes it.
    const std::uint64_t now = epoch_.load(std::memory_order_relaxed);
    // Release: partner is the second look in confirm; it carries the current_ stored before (I3).
    epoch_.store(now + 1, std::memory_order_release);
    Seam::full_fence();  // I2: current_ and the epoch before the looks at the counts
  }

  // Whether all visitors that came before the epoch moved have left. Acquire: partner is leave().
  bool old_visitors_left() const noexcept {
    const std::uint64_t now = epoch_.load(std::memory_order_relaxed);  // relaxed: the owner's own
    return visitors_->count[(now - 1) & 1].load(std::memory_order_acquire) == 0;
  }

  void free_array(unsigned log) noexcept {
    Seam::template free_slots<T>(table_[log], std::size_t{1} << log);
    table_[log] = nullptr;
  }

  slot* slots_ = nullptr;
  unsigned log_;
  bool in_grace_ = false;
  std::uint64_t mask_;
  // Sets of sizes, a bit for each log: arrays that were replaced since the last grace period began,
  // and those that were replaced before it.
  std::uint64_t retired_ = 0;
  std::uint64_t waiting_ = 0;
  visitors* visitors_;
  typename Seam::template atomic<std::uint64_t> epoch_{0};
  typename Seam::template atomic<std::uint32_t> current_;
  typename Seam::template atomic<std::uint64_t> resizes_{0};
  slot* table_[max_log + 1] = {};
};

}  // namespace heist::inline v0::deque
