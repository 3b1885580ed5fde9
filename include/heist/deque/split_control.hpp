// The split deque's control: which positions are private, which are public, and who may take what.
//
// A worker's deque has a private part that only its owner touches, without any atomic
// read-modify-write or fence, and a public part that thieves take from, oldest first. Work becomes
// public when a thief asks for it. Positions are the fork depth of the running fiber (times Stride,
// so that they can be offsets in memory): the frame that pushed at h pops at h, whatever happened
// in between. The items lie elsewhere (`seat` points at them); this header has only the protocol.
//
//           tail        split        bound          head
//     ........|  public   |  proposed  |   private    |........>   depth
//
// Roles. The owner: the thread that runs the fiber. Thieves: any other thread.
//   head    written by the owner only (release). Thieves read it to see how much is private.
//   seat    written by the owner, only while the deque is empty: where position 0 is in memory.
//   limit   the request word. Thieves write 0 ("I am hungry"), the owner restores `unasked`, which
//           is the capacity. The push compares its position with it, which tests for a request and
//           for a full deque at once. A smaller `unasked`, not 0, sends every push from there on to
//           the slow path, where it can be counted.
//   word    {tail, split, bound, tag}, changed only by a compare_exchange of the whole.
//             tail    oldest item not yet taken; thieves raise it.
//             split   below it is public.
//             bound   >= split; below it a thief has proposed to publish. The owner's pop tests
//                     bound alone. bound == split: nothing is proposed.
//             tag     changes with every proposal, take-back and reseat, that is whenever split or
//                     tail may come down, so that a stalled compare_exchange can't match.
//
// Invariants.
//   I1  tail <= split <= bound, always.
//   I2  An item at h is taken exactly once: by the owner through pop(h), or by a thief through a
//       raise of tail past h.
//   I3  The owner takes an item without touching word only at h >= bound. A thief that raises bound
//       runs the heavy barrier before it reads head again and confirms; so either the owner's pop
//       has seen the bound, or the thief sees the lowered head, and confirms no further than that.
//   I4  tail == split whenever seat changes (the deque is empty).
//   I5  No thread waits for another: the owner cuts or cancels a proposal, a thief gives up.
//   I6  limit is restored before split is raised, not after: the other order loses requests.
//   I7  What steal_reading() reads is the item that its exchange takes. A private slot is written
//       again without a new tag, also while it lies below a proposal. A word whose halves are of
//       two moments could be an old tail and split with the tag of a proposal, and become current
//       when that is confirmed, after the owner has popped and pushed there. So the low half is
//       loaded once more: then tail < split was true under the very tag that the exchange compares,
//       and from there to the exchange a public slot isn't written.
//
// Widths. Positions: 20 bits of Stride units. The tag: 56 bits, 18 years at one change each 8.3 ns
// (a reseat, measured). docs/memory_model.md has the argument for a tag in two halves.
//
// Source: the split deque of Lace (van Dijk and van de Pol, 2014) for private and public parts;
// proposals, cuts and "depth is position" are heist's own. tests/model runs this header on Relacy's
// atomics, within the bounds that docs/memory_model.md states. Steal reads its item's place before
// the exchange, as Chase and Lev do. Departures: the owner never takes from the public part by
// lowering split alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heist/deque/answers.hpp"
#include "heist/deque/atomics.hpp"
#include "heist/detail/invariant.hpp"

namespace heist::inline v0::deque {

// What became of a pop: the owner has its item, or a thief has taken it.
enum class pop_result : std::uint8_t { taken, stolen };

// The word of a split deque, unpacked: see the head of this file.
template <std::uint32_t Stride>
struct split_state {
  std::uint32_t tail;   // the oldest item that nobody has taken
  std::uint32_t split;  // below it items are public
  std::uint32_t bound;  // below it a thief has proposed to publish
  std::uint64_t tag;    // changes whenever split or tail may come down

  // The greatest position, in units, and tag_mask, the bits that a tag has.
  static constexpr std::uint32_t max_units = (1u << 20) - 1;
  static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << 56) - 1;

  // low: tail 20, split 20, the tag's upper 24. high: bound 32 (first in memory), the tag's lower
  // 32.
  [[nodiscard]] constexpr packed_words pack() const noexcept {
    return {std::uint64_t{tail / Stride} | std::uint64_t{split / Stride} << 20 | (tag >> 32) << 40,
            std::uint64_t{bound} | tag << 32};
  }
  // The state of which pack() has made those halves.
  static constexpr split_state unpack(packed_words p) noexcept {
    return {static_cast<std::uint32_t>(p.low & max_units) * Stride,
            static_cast<std::uint32_t>(p.low >> 20 & max_units) * Stride,
            static_cast<std::uint32_t>(p.high), (p.low >> 40) << 32 | p.high >> 32};
  }
  // The tag after this one. It wraps.
  [[nodiscard]] constexpr std::uint64_t next_tag() const noexcept { return (tag + 1) & tag_mask; }
  friend constexpr bool operator==(const split_state&, const split_state&) = default;
};

template <class Seam, std::uint32_t Stride>
struct split_control {
  // The unpacked word; a position in Stride units; max_capacity, the greatest capacity.
  using state = split_state<Stride>;
  using position = std::uint32_t;
  static constexpr position max_capacity = state::max_units * Stride;

  // The two groups below lie 128 bytes apart, since processors fetch cache lines in pairs. The
  // whole is aligned to one line only: glibc refuses dlopen() for a library with initial-exec
  // thread-local storage that is aligned to more than 64 bytes, and the runtime's control lies in
  // such storage.
  static constexpr std::size_t alignment = 64;
  static constexpr std::size_t distance = 128;  // of the groups
  using gap = char[distance - alignment];       // what lies between them

  // The members are public, so that the fast path's assembly may know their offsets (standard
  // layout).
  // The owner's line; thieves read it only when they find nothing public. The head is loaded and
  // stored with 64 bits, though a position has 32: on an Intel processor a fork is a quarter faster
  // by that (docs/adr/0023-a-head-of-64-bits.md).
  using head_word = std::uint64_t;
  alignas(alignment) typename Seam::template atomic<head_word> head;
  typename Seam::template atomic<char*> seat;  // where position 0 lies
  gap between{};                               // keeps the two lines apart
  // The line that all threads use.
  alignas(alignment) typename Seam::template wide_word<state> word;
  typename Seam::template atomic<position> limit;  // the request word
  position capacity;  // these two are set before other threads know this deque, then constant
  position unasked;   // what limit is while nobody asks: the capacity, or less

  // The deque has `capacity` usable positions; the memory behind seat has one more, for the push
  // that overflows.
  constexpr explicit split_control(position size, char* memory, position first_limit) noexcept
      : head{0},
        seat{memory},
        word{state{0, 0, 0, 0}},
        limit{first_limit},
        capacity{size},
        unasked{size} {}

  // ---- The owner's fast path. fork_join has the same three operations in assembly.

  // The next free position. Relaxed: only the owner writes it.
  [[nodiscard]] position depth() const noexcept {
    return static_cast<position>(head.load(std::memory_order_relaxed));
  }

  // Makes the item at h part of the deque. Release: partner is the acquire load of head in
  // expose(); it carries the item to thieves.
  void publish(position h) noexcept {
    head.store(h + Stride, std::memory_order_release);
    Seam::light_barrier();  // the request word is read after the push: see the sleep protocol
  }

  // Whether the push at h must take the slow path: a thief has asked, or the deque is full.
  // Relaxed: a request seen late is served by the next push; a sleeper's heavy barrier bounds how
  // late.
  [[nodiscard]] bool asked(position h) const noexcept {
    return h >= limit.load(std::memory_order_relaxed);
  }

  // Pops position h; false: the caller must call pop_slow. Release on head as in publish: what a
  // later pusher finds in a reused slot must not be older than the lowered head.
  [[nodiscard]] bool take_private(position h) noexcept {
    head.store(h, std::memory_order_release);
    Seam::light_barrier();  // I3
    return h >= static_cast<position>(word.high());
  }

  // ---- The owner's slow path.

  // What a push on the slow path has done.
  struct push_answer {
    bool pushed;          // false: the deque is full, h isn't in it, the owner runs the item itself
    bool exposed;         // the caller must fence and then look for sleepers to wake
    std::uint32_t items;  // how many became public
  };

  // After publish(h), when asked(h). A request is answered with the older half of what is private.
  push_answer on_limit(position h) noexcept {
    const bool fits = h < capacity;
    if (!fits) head.store(h, std::memory_order_release);  // thieves clamp: they never saw the spare
    // Relaxed: a request that comes between here and the store below stays in limit or is answered
    // by this very exposure.
    if (limit.load(std::memory_order_relaxed) != 0) return {fits, false, 0};
    const position top = fits ? h + Stride : capacity;
    if (word.load().split >= top) return {fits, false, 0};  // nothing to give: the request stays
    limit.store(unasked, std::memory_order_relaxed);        // I6
    for (;;) {
      const state w = word.load();
      HEIST_INVARIANT("split_control.hpp I1", w.tail <= w.split && w.split <= w.bound);
      if (w.split >= top) return {fits, true, 0};  // a thief confirmed an exposure meanwhile
      const position units = (top - w.split) / Stride;
      const position split = w.split + (units + 1) / 2 * Stride;
      if (word.compare_exchange(w, {w.tail, split, split, w.tag}))
        return {fits, true, (split - w.split) / Stride};
    }
  }

  // After take_private(h) said no. `reclaimed`: how many public items became private again.
  pop_result pop_slow(position h, std::uint32_t& reclaimed) noexcept {
    reclaimed = 0;
    for (;;) {
      const state w = word.load();
      HEIST_INVARIANT("split_control.hpp I1", w.tail <= w.split && w.split <= w.bound);
      if (h >= w.split) {  // private, below a proposal: cut it
        if (w.bound <= h) return pop_result::taken;
        if (word.compare_exchange(w, {w.tail, w.split, h, w.tag})) return pop_result::taken;
      } else if (w.tail == w.split) {
        return pop_result::stolen;
      } else {
        // The newer half comes back, h among it; of a single item all. Lowers split: new tag.
        const position units = (w.split - w.tail) / Stride;
        const position split = w.split - (units + 1) / 2 * Stride;
        if (word.compare_exchange(w, {w.tail, split, split, w.next_tag()})) {
          reclaimed = (units + 1) / 2;
          return pop_result::taken;
        }
      }
    }
  }

  // Seats the empty deque at depth d over other memory: the owner continues with another fiber, or
  // at a depth whose item was stolen. The head moves down before the word changes and up after it,
  // so that no position looks private at which there is no item.
  void reseat(position d, char* memory) noexcept {
    if (head.load(std::memory_order_relaxed) > d) head.store(d, std::memory_order_release);
    // Relaxed: thieves reach it through word; the exchange below releases it (I4).
    seat.store(memory, std::memory_order_relaxed);
    for (;;) {
      const state w = word.load();
      HEIST_INVARIANT("split_control.hpp I4", w.tail == w.split);
      if (word.compare_exchange(w, {d, d, d, w.next_tag()})) break;
    }
    if (head.load(std::memory_order_relaxed) < d) head.store(d, std::memory_order_release);
  }

  // Makes everything public, for an owner that is about to stop using its entries.
  void expose_all() noexcept {
    const position top = lower(depth(), capacity);
    for (;;) {
      const state w = word.load();
      if (w.split >= top) return;
      if (word.compare_exchange(w, {w.tail, top, top, w.tag})) return;
    }
  }

  // ---- Thieves.

  // The answer of a steal.
  struct steal_answer {
    steal_result result;  // whether there is an item
    char* item;           // its place in memory, when taken
  };

  // Takes the oldest public item.
  steal_answer steal() noexcept {
    const state w = word.load();
    if (w.tail >= w.split) return {steal_result::empty, nullptr};
    // Relaxed: if the exchange succeeds, word hasn't been reseated since it was loaded (tag), and
    // word.load() acquired the seat that belongs to it (I4).
    char* const item = seat.load(std::memory_order_relaxed) + w.tail;
    if (!word.compare_exchange(w, {w.tail + Stride, w.split, w.bound, w.tag}))
      return {steal_result::lost, nullptr};
    return {steal_result::taken, item};
  }

  // The same for slots that are reused as soon as their items are taken: `read(position)` runs
  // between the load and the exchange, and what it read counts only if the answer is taken. I7 says
  // why the low half is loaded twice.
  template <class Read>
  steal_result steal_reading(Read&& read) noexcept {
    const state w = word.load();
    if (w.tail >= w.split) return steal_result::empty;
    if (!word.has_low(w)) return steal_result::lost;
    read(w.tail);
    if (!word.compare_exchange(w, {w.tail + Stride, w.split, w.bound, w.tag}))
      return steal_result::lost;
    return steal_result::taken;
  }

  // Asks the owner to expose. Relaxed: it carries nothing; the test saves the line from needless
  // writes.
  void ask() noexcept {
    if (limit.load(std::memory_order_relaxed) != 0) limit.store(0, std::memory_order_relaxed);
  }

  // Whether the owner has not yet answered. Relaxed: a hint.
  [[nodiscard]] bool is_asked() const noexcept {
    return limit.load(std::memory_order_relaxed) == 0;
  }

  // Whether there is any item, private or public. A thread that is about to sleep must call it
  // after its heavy barrier.
  [[nodiscard]] bool has_work() const noexcept {
    const state w = word.load();
    return w.tail < w.split || private_top() > w.split;
  }
  // Whether thieves find something without asking.
  [[nodiscard]] bool has_public() const noexcept {
    const state w = word.load();
    return w.tail < w.split;
  }

  // Publishes an owner's private items without its help, for an owner that doesn't push.
  // `heavy_barrier()` must make the owner run a full barrier. Returns how many became public.
  template <class HeavyBarrier>
  std::uint32_t expose(HeavyBarrier&& heavy_barrier) noexcept {
    state w = word.load();
    const position first = private_top();
    if (first <= w.split) return 0;
    // A proposal of another thief is taken over: its proposer may have been preempted.
    const state proposal{w.tail, w.split, first, w.next_tag()};
    if (!word.compare_exchange(w, proposal)) return 0;
    heavy_barrier();
    const position second = private_top();  // without what the owner popped unseen (I3)
    for (;;) {
      w = word.load();
      if (w.tag != proposal.tag || w.bound == w.split) return 0;  // cancelled, or taken over
      const position split = upper(w.split, lower(w.bound, second));
      if (word.compare_exchange(w, {w.tail, split, split, w.tag}))
        return (split - w.split) / Stride;
    }
  }

 private:
  // Not <algorithm>'s: this header is part of every program that forks.
  static constexpr position lower(position a, position b) noexcept { return a < b ? a : b; }
  static constexpr position upper(position a, position b) noexcept { return a < b ? b : a; }

  // Acquire: partner is the release in publish(); a thief that exposes up to here passes the items
  // on. The clamp hides the spare slot: what overflowed belongs to the owner alone.
  [[nodiscard]] position private_top() const noexcept {
    return lower(static_cast<position>(head.load(std::memory_order_acquire)), capacity);
  }
};

}  // namespace heist::inline v0::deque
