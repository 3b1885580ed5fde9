// A deque whose thieves take half of what they see, rounded up: one item to run, the others for
// their own deque.
//
// The protocol is that of batch_stealing.hpp. What a thief takes here depends on the bottom that it
// saw, and bottom may have been lowered since then. The owner must know the reach of a thief that
// saw the largest bottom.
//
// A period of the word {stamp, oldest} is the time from the change that made it to the next one.
// The owner keeps
//   period_    the stamp that its last pop read
//   highest_   the largest bottom that a thief can have seen with the word of that stamp, up to
//              that pop
// and takes position b without an exchange only if b >= oldest + share(highest_ - oldest).
//
// Why highest_ is what it says. A thief's exchange succeeds only if it read the word of the current
// period whole; before its fence, and bottom after it.
//   H1  A pop lowers bottom, and after its fence it reads the stamp. If that is older than the word
//       that a thief read, the owner's fence is before the thief's, and the thief sees the bottom
//       of that pop or a later one.
//   H2  So when a pop reads a stamp that its predecessor didn't, thieves with the new word have
//       seen no bottom from before the predecessor's. The predecessor left bottom where it lowered
//       it, or one higher, and from there only pushes followed: the largest is b + 1, the bottom
//       that this pop found.
//   H3  While pops read the same stamp, bottom goes up and down; at each pop the largest since the
//       one before is again the b + 1 that it found. Thus highest_ is the maximum of these.
//   H4  A thief that sees a bottom which a later push made has acquired that push. It sees other
//       items then, and the pop of H3 is over.
//   H5  If an exchange takes place between the two halves of the pop's load, stamp is old and
//       oldest is new: the owner then has a highest_ of the old period, which is too large rather
//       than too small for both, and an oldest that isn't too small for the new one. The thief that
//       made the exchange has taken items below that oldest only. The other way round, oldest
//       first, an item would be taken twice.
//   H6  share(n) is monotonic, and so is oldest + share(highest_ - oldest) in both.
// The owner's own exchange begins a period too; the next pop finds it as any other.
//
// Source: Hendler and Shavit, Non-blocking steal-half work queues (PODC 2002), has the aim; that
// algorithm makes the owner move a range of stealable items ahead of time, at each power of two;
// ours tests at each pop instead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "heist/deque/atomics.hpp"
#include "heist/deque/batch_stealing.hpp"
#include "heist/deque/concept.hpp"

namespace heist::inline v0::deque {

// How many items a thief takes at most in one step.
inline constexpr std::size_t max_half = 64;

class half_of_seen;

// A deque as in concept.hpp, whose thieves can also take half of the items: steal_into. It grows
// when it is full, and shrinks on request. Seam: the atomics, which only tests replace
// (atomics.hpp).
template <item T, class Seam = std_atomics>
class steal_half : public batch_stealing<T, half_of_seen, Seam> {
 public:
  // The greatest number of items that a steal takes.
  static constexpr std::size_t max_batch = max_half;

  // Throws usage_error for a capacity that isn't a power of two up to max_capacity; std::bad_alloc.
  explicit steal_half(std::size_t capacity = 64);
};

// The rule of batch_stealing: half, but no more than a thief copies at once.
class half_of_seen {
 public:
  // How many items a steal takes where it has seen so many: half of them, rounded up, at most
  // max_batch.
  [[nodiscard]] static std::uint64_t share(std::uint64_t seen) noexcept {
    return std::min<std::uint64_t>(seen - seen / 2, max_half);
  }

  // How far from the oldest item a thief may reach: below that the owner must claim what it pops.
  // `b` is the position that the owner is about to take.
  template <class Word>
  [[nodiscard]] std::uint64_t reach(const Word& word, std::uint64_t b) noexcept {
    const auto top = word.load();  // stamp before oldest: H5
    highest_ = top.stamp == period_ ? std::max(highest_, b + 1) : b + 1;
    period_ = top.stamp;
    return top.oldest + share(highest_ - top.oldest);
  }

 private:
  std::uint64_t period_ = 0;
  std::uint64_t highest_ = 0;
};

template <item T, class Seam>
steal_half<T, Seam>::steal_half(std::size_t capacity)
    : batch_stealing<T, half_of_seen, Seam>("steal_half", capacity, half_of_seen()) {}

static_assert(batched_deque<steal_half<void*>>);

}  // namespace heist::inline v0::deque
