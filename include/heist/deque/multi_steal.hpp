// A deque whose thieves take up to k items in one step: one to run, the others for their own deque.
//
// The protocol is batch_stealing.hpp's. Here a thief takes min(k, what it sees), from oldest on, so nobody
// takes beyond oldest + k - 1: the owner pops without an exchange if what it pops lies at oldest + k or above. The
// oldest that it saw after its fence may be older than the thieves' one only for thieves that see its lowered
// bottom, and those leave the item alone anyway.
//
// k = 1 is Chase and Lev's deque with a stamp: a thief on its way is stopped by the owner's pop of the last item.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "heist/deque/batch_stealing.hpp"
#include "heist/deque/concept.hpp"
#include "heist/detail/atomics.hpp"
#include "heist/error.hpp"

namespace heist::inline v0::deque {

// The rule of batch_stealing: at most k.
class at_most_k {
 public:
  static constexpr std::size_t max_k = 64;

  // usage_error for a k that isn't from 1 to max_k.
  explicit at_most_k(std::size_t k) : k_(k) {
    if (k < 1 || k > max_k)
      throw usage_error("multi_steal: k is " + std::to_string(k) + "; it must be from 1 to " +
                        std::to_string(max_k));
  }

  [[nodiscard]] std::uint64_t share(std::uint64_t seen) const noexcept {
    return std::min(k_, seen);
  }

  // Relaxed, and half the word: an older position only shows those thieves that the fence lets it.
  template <class Word>
  [[nodiscard]] std::uint64_t reach(const Word& word, std::uint64_t) const noexcept {
    return word.high() + k_;
  }

 private:
  std::uint64_t k_;
};

template <item T, class Seam = detail::std_atomics>
class multi_steal : public batch_stealing<T, at_most_k, Seam> {
 public:
  static constexpr std::size_t max_k = at_most_k::max_k;

  // usage_error for a capacity that isn't a power of two up to max_capacity, or a k that isn't from 1 to
  // max_k; std::bad_alloc.
  explicit multi_steal(std::size_t capacity = 64, std::size_t k = 4)
      : batch_stealing<T, at_most_k, Seam>("multi_steal", capacity, at_most_k(k)) {}
};

static_assert(batched_deque<multi_steal<void*>>);

}  // namespace heist::inline v0::deque
