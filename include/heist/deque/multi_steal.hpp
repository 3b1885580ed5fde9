// A deque whose thieves take up to k items in one step: one to run, the others for their own deque.
//
// The protocol is that of batch_stealing.hpp. Here a thief takes min(k, what it sees) items, or k
// and else one (steal_rule), from oldest on. So no thief takes beyond oldest + k - 1, and the owner
// pops without an exchange if the item lies at oldest + k or above. The oldest that the owner saw
// after its fence may be older than that of a thief only if the thief sees the lowered bottom, and
// then it doesn't take the item anyway.
//
// k = 1 is Chase and Lev's deque with a stamp: the owner's pop of the last item makes a steal that
// has begun fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "heist/deque/atomics.hpp"
#include "heist/deque/batch_stealing.hpp"
#include "heist/deque/concept.hpp"
#include "heist/error.hpp"
#include "heist/pool_kinds.hpp"

namespace heist::inline v0::deque {

class at_most_k;

// A deque as in concept.hpp, whose thieves can also take several items at once: steal_into. It
// grows when it is full, and shrinks on request. Seam: the atomics, which only tests replace
// (atomics.hpp).
template <item T, class Seam = std_atomics>
class multi_steal : public batch_stealing<T, at_most_k, Seam> {
 public:
  // The greatest k.
  static constexpr std::size_t max_k = 1024;

  // Throws usage_error for a capacity that isn't a power of two up to max_capacity, or a k that
  // isn't from 1 to max_k; std::bad_alloc.
  explicit multi_steal(std::size_t capacity = 64, std::size_t k = 4,
                       steal_rule rule = steal_rule::up_to_k);
};

// The rule of batch_stealing: at most k.
class at_most_k {
 public:
  // Throws usage_error for a k that isn't from 1 to `most`.
  at_most_k(std::size_t k, std::size_t most, steal_rule rule)
      : k_(k), or_one_(rule == steal_rule::k_or_one) {
    if (k < 1 || k > most)
      throw usage_error("multi_steal: k is " + std::to_string(k) + "; it must be from 1 to " +
                        std::to_string(most));
  }

  // How many items a steal takes where it has seen so many: at most k of them.
  [[nodiscard]] std::uint64_t share(std::uint64_t seen) const noexcept {
    if (seen >= k_) return k_;
    return or_one_ ? 1 : seen;
  }

  // Relaxed, and only half of the word: the fence bounds how old the position may be (I4 of
  // batch_stealing).
  template <class Word>
  [[nodiscard]] std::uint64_t reach(const Word& word, std::uint64_t) const noexcept {
    return word.high() + k_;
  }

 private:
  std::uint64_t k_;
  bool or_one_;
};

template <item T, class Seam>
multi_steal<T, Seam>::multi_steal(std::size_t capacity, std::size_t k, steal_rule rule)
    : batch_stealing<T, at_most_k, Seam>("multi_steal", capacity, at_most_k(k, max_k, rule)) {}

static_assert(batched_deque<multi_steal<void*>>);

}  // namespace heist::inline v0::deque
