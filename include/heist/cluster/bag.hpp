// heist::cluster::bag: what a distributed computation is made of. A bag holds items that are still
// to be processed, and the result of those that were. It can be halved, merged and sent.
//
// Saraswat, Kambadur, Kodali, Grove, Krishnamoorthy: Lifeline-based Global Load Balancing (PPoPP
// 2011) calls this a task bag.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "heist/cluster/wire.hpp"

namespace heist::inline v0::cluster {

// A type of bag. None of its functions is called by two threads at once.
//
//   process(most)  processes at most `most` items, which may add new ones, and takes what they give
//                  into the result; returns how many it processed. Each item counts: between two
//                  calls other ranks are answered.
//   is_empty()     whether there is no item left. A bag without items still has its result.
//   split()        takes about half of the items into a new bag, without any result; nothing if
//                  there are too few to share.
//   merge(other)   takes the other bag's items and its result. In which order bags are merged
//                  depends on who stole from whom: if that must not show, the result must not
//                  depend on it (a sum), or keep the order by itself (pieces of a range).
template <class B>
concept bag = std::movable<B> && wireable<B> && requires(B& b, const B& c, std::uint64_t most) {
  { b.process(most) } -> std::same_as<std::uint64_t>;
  { c.is_empty() } -> std::convertible_to<bool>;
  { b.split() } -> std::same_as<std::optional<B>>;
  b.merge(std::move(b));
};

// A bag of a search for the greatest value of something, which skips what can't exceed the best
// value known. The best value of any rank reaches all of them.
template <class B>
concept bounded_bag = bag<B> && requires(B& b, const B& c, std::int64_t value) {
  { c.bound() } -> std::same_as<std::int64_t>;  // the best value known; INT64_MIN: none
  b.raise_bound(value);                         // some rank knows `value`
};

}  // namespace heist::inline v0::cluster
