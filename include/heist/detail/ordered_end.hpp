// The end of a pipeline whose last stage is in order: items that come before their turn.
//
// Such an item is laid down in its slot, and its carrier goes for another one. The carrier that has
// the turn runs the stage for its own item and then for all that lie ready behind it, so no fiber
// is suspended here.
//
// Roles. The carrier of an item, until it has laid it down; the one that has the turn. What the
// stage does is handed on with the turn.
//   turn    the number of the item whose turn it is; written by the one that has the turn
//   laid    in each slot: the number of the item that lies there, plus 1, or 0
//
// Invariants.
//   L1  An item's slot belongs to its carrier until `laid` is set, and then to the one that has
//       reset it. The slot is free again when the turn has moved on, and the pipeline begins no
//       item whose slot isn't free.
//   L2  No item is left lying at its turn. Its carrier sets `laid` and then looks at the turn; the
//       one before it moves the turn on and then looks at `laid`; all four are seq_cst. So one of
//       them at least sees the other, and the exchange of `laid` chooses one of them. It compares
//       the number: the one before may look so late that the slot has a later item.
//   L3  Items pass in order: the turn moves on when the stage has run for the item that has it.
//
// The Seam is that of heist/deque/atomics.hpp: tests/model runs this very code on other atomics.
#pragma once

#include <atomic>
#include <cstdint>

#include "heist/deque/atomics.hpp"

namespace heist::inline v0::detail {

template <class Item, class Seam = deque::std_atomics>
class ordered_end {
 public:
  template <class T>
  using atomic = typename Seam::template atomic<T>;

  struct slot {
    atomic<std::uint64_t> laid{0};
    Item item{};
  };

  // The number of slots is a power of two, and at least that of the items under way at once.
  ordered_end(slot* slots, std::uint64_t count, atomic<std::uint64_t>& turn) noexcept
      : turn_(turn), mask_(count - 1), slots_(slots) {}

  // Whether it is that item's turn. Acquire: partner is the store in go_on_to().
  [[nodiscard]] bool has_turn(std::uint64_t number) const noexcept {
    return turn_.load(std::memory_order_acquire) == number;
  }
  // The item's slot, for the one to whom it belongs.
  [[nodiscard]] Item& operator[](std::uint64_t number) noexcept { return slot_of(number).item; }

  // The item lies in its slot. True: its turn has come meanwhile, and the caller has it.
  [[nodiscard]] bool lay_down(std::uint64_t number) noexcept {
    slot_of(number).laid.store(number + 1, std::memory_order_seq_cst);
    return turn_.load(std::memory_order_seq_cst) == number && take(number);
  }
  // The stage has run for the item before this one. True: this one lies there, and the caller keeps
  // the turn. False: its carrier will have it.
  [[nodiscard]] bool go_on_to(std::uint64_t number) noexcept {
    turn_.store(number, std::memory_order_seq_cst);
    return slot_of(number).laid.load(std::memory_order_seq_cst) == number + 1 && take(number);
  }

 private:
  slot& slot_of(std::uint64_t number) noexcept { return slots_[number & mask_]; }
  // Relaxed: the loads before it have acquired the item, or the turn.
  bool take(std::uint64_t number) noexcept {
    std::uint64_t seen = number + 1;
    return slot_of(number).laid.compare_exchange_strong(seen, 0, std::memory_order_relaxed,
                                                        std::memory_order_relaxed);
  }

  atomic<std::uint64_t>& turn_;
  const std::uint64_t mask_;
  slot* const slots_;
};

}  // namespace heist::inline v0::detail
