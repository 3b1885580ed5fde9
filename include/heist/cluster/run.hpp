// heist::cluster::run(): processes a bag on all ranks.
//
//     struct primes { ... };  // a bag: <heist/cluster/bag.hpp>
//     primes found = heist::cluster::run(cluster, "primes below 1e9", primes{},
//                                        [] { return primes::below(1'000'000'000); });
#pragma once

#include <concepts>
#include <string>
#include <typeinfo>
#include <utility>

#include "heist/cluster/bag.hpp"
#include "heist/cluster/context.hpp"
#include "heist/cluster/detail/bag_work.hpp"

namespace heist::inline v0::cluster {

// Processes all items of begin()'s bag, and of the bags that they lead to, each exactly once, on
// all ranks of `in` with all of their workers. Every rank makes the call, with the same `name`:
// what is computed, from which arguments; the journal belongs to that name. `empty` is a bag
// without items, and begin() returns the one that holds the work: it is called on rank 0 only, and
// only if the run doesn't go on from a journal.
//
// On rank 0 returns a bag without items that has the whole result; on the others, one that has
// a part of it. In which order bags are merged differs from run to run.
//
// An exception of the bag or of `wire` on any rank ends the run everywhere. Throws rank_failure, on
// every rank, for that, for a rank of which nothing was heard for long, and for ranks with another
// program, version or name. If begin() throws, or the journal can't be used (usage_error,
// resource_error), rank 0 throws that and the others rank_failure.
template <bag Bag, std::invocable Begin>
requires std::convertible_to<std::invoke_result_t<Begin>, Bag>
[[nodiscard]] Bag run(context& in, const std::string& name, Bag empty, Begin&& begin) {
  detail::bag_work<Bag> work(std::move(empty));
  const auto fill = [&] { work.get().merge(Bag(begin())); };
  detail::run_work(in, name, typeid(Bag).name(), work, fill);
  return std::move(work.get());
}

}  // namespace heist::inline v0::cluster
