// A deque whose thieves may take several of the oldest items in one step, and keep all but the
// first in their own deque. How many is a rule: a fixed number (multi_steal.hpp) or half
// (steal_half.hpp).
//
// A thief that takes n items moves top by n in one exchange. So the owner's question at a pop is
// not whether the item is the last one, but whether it lies within reach: whether a thief that has
// begun a steal may take so many items that it is among them. Beyond reach a pop costs a fence, as
// in Chase and Lev's deque. Within reach the owner doesn't take the oldest item, as a thief would:
// it changes the stamp beside top, which makes every steal that has begun fail, and takes the
// newest one.
//
// Roles. The owner: one thread at a time, through owner_end. Thieves: any others, each with a
// thief_end, and to take several with an owner_end of a deque of its own.
//   bottom_     one beyond the newest item. The owner writes it, with release when it publishes
//               items.
//   top_.word   {stamp, oldest}: the oldest item's position, and how often the word has changed.
//               Changed by the thread that takes within reach, a thief or the owner; only by
//               compare_exchange.
//   seen_top_   the owner's: an oldest position that it saw some time ago; push tests for a full
//               array against it.
//   rule_       says how many a thief takes, and what the owner knows about that; only the owner
//               writes the latter
//   ring_       the slots
//   visitors    of the ring: thieves in the middle of a steal
//
// Invariants.
//   I1  oldest never comes down, and every change counts stamp up by one: no word comes twice.
//       Positions start at 1, so that a pop of an empty deque has a bottom to lower. 64 bits don't
//       wrap.
//   I2  Between operations of the owner oldest <= bottom_, and the items are those at [oldest,
//       bottom_).
//   I3  A thief whose exchange succeeds from {stamp, oldest} read that word before its fence and a
//       bottom b after it, b > oldest, and takes at most rule.share(b - oldest) items.
//   I4  The owner takes position b without touching the word only beyond reach: it has lowered
//       bottom_ to b, and after its fence it saw an oldest such that no thief of I3 takes b from
//       there. Of two fences one is first: either the thief sees the lowered bottom, or the owner
//       sees the thief's word, or a newer one.
//   I5  The owner takes position b within reach by counting stamp up. A thief that reads the word
//       after that has acquired the lowered bottom with it.
//   I6  bottom_ - seen_top_ <= the ring's capacity, and seen_top_ <= oldest: a slot is written
//       again only when the thief that took from it is done with it.
//   I7  What a thief copies beyond its own bottom_ before its exchange is no item yet: the one that
//       may steal there has a bottom or a word that is out of date, and takes nothing above bottom_
//       (I4, I5).
//
// Sources: a multi-task-steal scheduler described in an article; docs/published-deque-bugs.md says
// what is wrong with it as printed, and what is different here. Growth: growable_ring.hpp. bottom_
// is stored with release and loaded with acquire where others have fences, since ThreadSanitizer
// knows no fences.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "heist/deque/atomics.hpp"
#include "heist/deque/capacity.hpp"
#include "heist/deque/concept.hpp"
#include "heist/deque/growable_ring.hpp"
#include "heist/detail/invariant.hpp"

namespace heist::inline v0::deque {

// Where thieves take next. Its halves are read one after the other, stamp first: read together with
// an old stamp, oldest may be newer, never older.
struct batch_top {
  std::uint64_t stamp;   // how often the word has changed
  std::uint64_t oldest;  // the position of the oldest item

  // To the two halves of a wide_word; unpack goes back.
  [[nodiscard]] constexpr packed_words pack() const noexcept { return {stamp, oldest}; }
  static constexpr batch_top unpack(packed_words p) noexcept { return {p.low, p.high}; }
  // After `items` of the oldest were taken.
  [[nodiscard]] constexpr batch_top after(std::uint64_t items) const noexcept {
    return {stamp + 1, oldest + items};
  }
  friend constexpr bool operator==(const batch_top&, const batch_top&) = default;
};

// A rule has
//   share(seen)         how many a thief takes that sees `seen` items, 1 at least and all at most
//   reach(word, b)      for the owner alone, at each pop, after the fence: the first position that
//                       no thief takes (I4), when bottom was lowered to b
template <item T, class Rule, class Seam = std_atomics>
class batch_stealing {
  using ring = growable_ring<T, Seam>;
  using position = typename ring::position;

 public:
  // What its items are, and max_capacity, how many it can hold at most.
  using item_type = T;
  static constexpr std::size_t max_capacity = ring::max_capacity;

  batch_stealing(const batch_stealing&) = delete;
  batch_stealing& operator=(const batch_stealing&) = delete;

  // The owner's end, for one thread at a time.
  class owner_end {
   public:
    // What owner() returns. The deque must outlive it.
    explicit owner_end(batch_stealing& d) noexcept : deque_(&d) {}
    // full: max_capacity is reached or the system refuses memory. Needs no fence and no
    // read-modify-write.
    [[nodiscard]] push_result push(T one) noexcept { return deque_->push(one); }
    // Takes the newest item. Costs one full fence, and an exchange if it lies within reach of
    // thieves.
    [[nodiscard]] std::optional<T> pop() noexcept { return deque_->pop(); }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }
    // Frees the memory that the items don't need, but keeps the capacity with which the deque was
    // made. The old array is freed as soon as no thief reads it, by a later growth, shrink_to_fit
    // or pop that finds nothing. false: not now, since a thief may still read an array that was
    // replaced before, or the system refuses memory.
    bool shrink_to_fit() noexcept { return deque_->shrink_to_fit(); }

   private:
    friend batch_stealing;
    batch_stealing* deque_;
  };

  // A thief's end, for any number of threads, a copy each.
  class thief_end {
   public:
    // What thief() returns. The deque must outlive it.
    explicit thief_end(batch_stealing& d) noexcept : deque_(&d) {}
    // Takes the oldest item.
    [[nodiscard]] steal_answer<T> steal() noexcept { return deque_->steal(); }
    // Takes the rule's share of the oldest items: the answer holds the oldest one, and `mine` gets
    // the others, oldest first; fewer if `mine` can't grow. `mine` belongs to the calling thread
    // and to another deque.
    [[nodiscard]] batch_answer<T> steal_into(owner_end& mine) noexcept {
      return deque_->steal_into(*mine.deque_);
    }
    // How many items there were, some moments ago.
    [[nodiscard]] std::size_t size_hint() const noexcept { return deque_->size_hint(); }

   private:
    batch_stealing* deque_;
  };

  // The two ends: owner() for the thread that pushes, thief() for those that steal.
  [[nodiscard]] owner_end owner() noexcept { return owner_end(*this); }
  [[nodiscard]] thief_end thief() noexcept { return thief_end(*this); }
  // How many items it can hold without growing.
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.capacity(); }
  // How often the array was replaced, by a larger or a smaller one.
  [[nodiscard]] std::uint64_t resizes() const noexcept { return ring_.resizes(); }

 protected:
  // The deque has space for `capacity` items, a power of two, before it grows; it doubles when it
  // is full. Throws usage_error for an invalid capacity, std::bad_alloc.
  batch_stealing(std::string_view name, std::size_t capacity, Rule rule)
      : rule_(rule),
        least_(checked_ring_capacity(name, capacity, max_capacity)),
        ring_(least_, top_.visitors) {}
  ~batch_stealing() = default;

 private:
  // ---- The owner.

  push_result push(T one) noexcept {
    const position b = bottom_.load(std::memory_order_relaxed);  // relaxed: the owner's own
    if (!ring_.has_room(seen_top_, b)) [[unlikely]]
      return push_after_growth(b, one);
    HEIST_INVARIANT("batch_stealing.hpp I6", ring_.has_room(seen_top_, b));
    ring_.put(b, one);
    publish(b + 1);
    return push_result::ok;
  }

  // The array is full for the top that the owner saw last. Not inlined, so that push needs no stack
  // frame.
  [[gnu::noinline]] push_result push_after_growth(position b, T one) noexcept {
    if (!reserve(b, 1)) return push_result::full;
    ring_.put(b, one);
    publish(b + 1);
    return push_result::ok;
  }

  // Whether `more` items fit beyond b, or now do.
  bool reserve(position b, std::size_t more) noexcept {
    if (ring_.has_room(seen_top_, b, more)) return true;
    look_at_top();
    return ring_.reserve(seen_top_, b, more);
  }

  // The load acquires: partner is the exchange in claim. Afterwards the slots that the thief has
  // read may be written (I6).
  void look_at_top() noexcept { seen_top_ = top_.word.load().oldest; }

  // Release: partner is the load in seen_bottom; it publishes the slots and what the items point
  // at. Also where bottom is lowered: a thief that reads the lowered value takes items below it.
  void publish(position b) noexcept { bottom_.store(b, std::memory_order_release); }

  std::optional<T> pop() noexcept {
    const position b = bottom_.load(std::memory_order_relaxed) - 1;  // relaxed: the owner's own
    publish(b);
    Seam::full_fence();  // I4: bottom before top; partner: the thief's fence, in visit::confirm
    if (b >= rule_.reach(top_.word, b)) [[likely]]
      return ring_.at(b);
    if (!pop_within_reach(b)) return std::nullopt;
    return ring_.at(b);
  }

  // Makes the steals that have begun fail, or finds that thieves have taken all items.
  [[gnu::noinline]] bool pop_within_reach(position b) noexcept {
    for (;;) {
      const batch_top t = top_.word.load();
      if (t.oldest > b) break;
      if (claim(t, 0)) return true;
    }
    // Relaxed: the deque is empty, so there is nothing to publish.
    bottom_.store(b + 1, std::memory_order_relaxed);
    if (ring_.has_retired()) ring_.reclaim();
    return false;
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
    const batch_top t = seen_top(visit);
    if (t.oldest >= seen_bottom()) return {steal_result::empty, T{}};
    const T one = visit.current().at(t.oldest);  // before the claim: then it may be written again
    if (!claim(t, 1)) return {steal_result::lost, T{}};
    return {steal_result::taken, one};
  }

  batch_answer<T> steal_into(batch_stealing& mine) noexcept {
    if (looks_empty()) return {steal_result::empty, T{}, 0};
    typename ring::visit visit(ring_);
    const batch_top t = seen_top(visit);
    const position b = seen_bottom();
    if (t.oldest >= b) return {steal_result::empty, T{}, 0};
    const typename ring::array from = visit.current();
    const T one = from.at(t.oldest);
    // Relaxed: this thread owns it.
    const position end = mine.bottom_.load(std::memory_order_relaxed);
    std::size_t more = rule_.share(b - t.oldest) - 1;
    if (more != 0 && !mine.reserve(end, more)) more = 0;
    for (std::size_t i = 0; i < more; ++i)
      mine.ring_.put(end + i, from.at(t.oldest + 1 + i));  // I7
    if (!claim(t, 1 + more)) return {steal_result::lost, T{}, more};
    if (more != 0) mine.publish(end + more);
    return {steal_result::taken, one, more};
  }

  // Writes nothing, since idle thieves look again and again. The load acquires: the bottom that is
  // read after it isn't older than the one that the previous taker of items saw. Relaxed on bottom:
  // nothing is read through it.
  bool looks_empty() const noexcept {
    const batch_top t = top_.word.load();
    return t.oldest >= bottom_.load(std::memory_order_relaxed);
  }

  // The word, and then a full fence (I3).
  batch_top seen_top(typename ring::visit& visit) const noexcept {
    batch_top t{};
    do t = top_.word.load();
    while (!visit.confirm());
    return t;
  }

  // Acquire: partner is publish.
  position seen_bottom() const noexcept { return bottom_.load(std::memory_order_acquire); }

  // ---- Both.

  // Takes `items` of the oldest items; the owner takes the newest one with `items` == 0. The
  // exchange releases: partner is the load in look_at_top, for the slots that were read before; and
  // the load in seen_top, for the bottom that the owner has lowered (I5).
  bool claim(batch_top t, std::uint64_t items) noexcept {
    return top_.word.compare_exchange(t, t.after(items));
  }

  // Relaxed on bottom: a hint. It may be one below top while a pop finds nothing.
  std::size_t size_hint() const noexcept {
    const position t = top_.word.load().oldest;
    const position b = bottom_.load(std::memory_order_relaxed);
    return b > t ? b - t : 0;
  }

  struct thieves_line {
    typename Seam::template wide_word<batch_top> word{batch_top{0, 1}};
    typename ring::visitors visitors;
  };

  // The thieves' line; the owner's pop reads it.
  alignas(128) thieves_line top_;
  // The owner's line; thieves read bottom_, the rule, and what the ring keeps for them, which
  // changes seldom.
  alignas(128) typename Seam::template atomic<position> bottom_{1};
  position seen_top_ = 1;
  Rule rule_;
  const std::size_t least_;  // the capacity that it was made with
  ring ring_;
};

}  // namespace heist::inline v0::deque
