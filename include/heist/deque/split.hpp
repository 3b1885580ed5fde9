// The split deque as a deque on its own: the runtime's protocol over an array of items.
//
// It has a private part that only its owner touches, without a read-modify-write or a fence, and a
// public part from which thieves take. The protocol is that of split_control.hpp, with its roles
// and invariants. This header adds the array of items: the item at position h is in slots_[h].
// Positions are depths, so the array is a stack, not a ring: it starts at 0 again when the owner
// finds that thieves have taken everything.
//
//     heist::deque::split<task*> deque(1024);
//     auto thief = deque.thief();
//     auto a = thief.steal();  // empty: nothing was public; the owner's next push exposes items
//     // on the owner's thread:
//     const auto owner_thread = heist::deque::heavy_barrier_target::this_thread();
//     // for an owner that doesn't push:
//     thief.expose([=] { heist::deque::heavy_barrier(owner_thread); });
//
// Roles. The owner pushes, pops and exposes; thieves steal, ask and expose.
//   control_   see split_control.hpp. Its seat is not used: the array never changes.
//   slots_     written by the owner. Read by thieves, which keep what they read only if the
//              exchange after it succeeds.
//
// Invariants, beside split_control's.
//   I1  slots_ has one place more than the capacity: a push stores and publishes first, then tests
//       whether a thief asks or the deque is full, and takes its item back if it is full.
//   I2  A thief reads its slot between the looks at the word and the exchange. A slot below split
//       is written again only after the word has changed its tag (taken back, or reseated after all
//       was stolen), so an exchange that succeeds has read the item that it takes: I7 of
//       split_control.
//   I3  When the pop of position h finds it stolen, everything older was stolen before it: the
//       deque is empty.
//
// Source: as split_control.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "heist/deque/atomics.hpp"
#include "heist/deque/capacity.hpp"
#include "heist/deque/concept.hpp"
#include "heist/deque/heavy_barrier.hpp"
#include "heist/deque/split_control.hpp"

namespace heist::inline v0::deque {

// A deque as in concept.hpp, whose owner and thieves can also expose items. It holds a fixed number
// of items. Seam: the atomics, which only tests replace (atomics.hpp).
template <item T, class Seam = std_atomics>
class split {
  using control = split_control<Seam, 1>;
  using position = typename control::position;

 public:
  // What its items are, and max_capacity, how many it can hold at most.
  using item_type = T;
  static constexpr std::size_t max_capacity = control::max_capacity;

  // Makes an array of `capacity` places. Throws usage_error for an invalid capacity,
  // std::bad_alloc.
  explicit split(std::size_t capacity = 1024)
      : control_(static_cast<position>(checked_capacity("split", capacity, max_capacity)), nullptr,
                 static_cast<position>(capacity)),
        slots_(Seam::template new_slots<T>(capacity + 1)) {
    if (slots_ == nullptr) throw std::bad_alloc();
  }
  ~split() { Seam::free_slots(slots_, capacity() + 1); }
  split(const split&) = delete;
  split& operator=(const split&) = delete;

  // The owner's end, for one thread at a time.
  class owner_end {
   public:
    // What owner() returns. The deque must outlive it.
    explicit owner_end(split& d) noexcept : deque_(&d) {}
    // full: the end of the array is reached. It may still hold places of stolen items, which become
    // free when a pop has found everything stolen. Costs two stores and a comparison. If a thief
    // has asked, the older half of the private items becomes public, by an exchange of the 16-byte
    // word.
    [[nodiscard]] push_result push(T one) noexcept { return deque_->push(one); }
    // Takes the newest item. Costs a store, a comparison and a load while it is private; an
    // exchange otherwise.
    [[nodiscard]] std::optional<T> pop() noexcept {
      T one{};
      if (!deque_->pop(one)) return std::nullopt;
      return one;
    }
    // The same for callers who count instructions: compilers carry an optional through memory.
    [[nodiscard]] bool pop(T& one) noexcept { return deque_->pop(one); }
    // Makes everything public, for an owner that won't use the deque for a while.
    void expose_all() noexcept { deque_->control_.expose_all(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    split* deque_;
  };

  // A thief's end, for any number of threads, a copy each.
  class thief_end {
   public:
    // What thief() returns. The deque must outlive it.
    explicit thief_end(split& d) noexcept : deque_(&d) {}
    // Takes the oldest item. empty: nothing was public. There may be private items: steal has asked
    // the owner, whose next push exposes the older half.
    [[nodiscard]] steal_answer<T> steal() noexcept { return deque_->steal(); }
    // Makes an owner's private items public without its help; returns how many, and 0 also if the
    // owner or another thief was faster. `barrier()` must be noexcept and make the owner's thread
    // execute a full memory barrier between the call and the return, as heist::deque::heavy_barrier
    // does.
    template <class HeavyBarrier>
    std::size_t expose(HeavyBarrier&& barrier) noexcept {
      return deque_->control_.expose(std::forward<HeavyBarrier>(barrier));
    }
    // Private items count too.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    split* deque_;
  };

  // The two ends: owner() for the thread that pushes, thief() for those that steal.
  [[nodiscard]] owner_end owner() noexcept { return owner_end(*this); }
  [[nodiscard]] thief_end thief() noexcept { return thief_end(*this); }
  // How many items it can hold.
  [[nodiscard]] std::size_t capacity() const noexcept { return control_.capacity; }

 private:
  // ---- The owner.

  push_result push(T one) noexcept {
    const position h = control_.depth();
    // Relaxed: publish() releases it.
    slots_[h].store(one, std::memory_order_relaxed);
    control_.publish(h);
    if (!control_.asked(h)) [[likely]]
      return push_result::ok;
    return push_asked(h);
  }

  // Not inlined, as pop_shared(): the fast paths then need no stack frame.
  [[gnu::noinline]] push_result push_asked(position h) noexcept {
    return control_.on_limit(h).pushed ? push_result::ok : push_result::full;
  }

  bool pop(T& one) noexcept {
    const position depth = control_.depth();
    if (depth == 0) return false;
    const position h = depth - 1;
    if (!control_.take_private(h)) [[unlikely]]
      if (!pop_shared(h)) return false;
    // Relaxed: the owner wrote it itself.
    one = slots_[h].load(std::memory_order_relaxed);
    return true;
  }

  [[gnu::noinline]] bool pop_shared(position h) noexcept {
    std::uint32_t reclaimed = 0;
    if (control_.pop_slow(h, reclaimed) == pop_result::taken) return true;
    control_.reseat(0, nullptr);  // I3
    return false;
  }

  // ---- Thieves.

  steal_answer<T> steal() noexcept {
    T one{};
    // Relaxed: the looks at the word have acquired the item; a newer one fails at the exchange
    // (I2).
    const steal_result result = control_.steal_reading(
        [&](position tail) { one = slots_[tail].load(std::memory_order_relaxed); });
    if (result == steal_result::empty) control_.ask();
    return {result, one};
  }

  // ---- Any thread.

  [[nodiscard]] std::size_t size_hint() const noexcept {
    const position head = control_.depth();  // a hint
    const position tail = control_.word.load().tail;
    return head > tail ? head - tail : 0;
  }

  control control_;
  // It is only read, and lies on a line of its own.
  alignas(128) typename Seam::template atomic<T>* const slots_;
};

static_assert(work_stealing_deque<split<void*>>);

}  // namespace heist::inline v0::deque
