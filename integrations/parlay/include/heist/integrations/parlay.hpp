// ParlayLib on heist's workers: the four functions of a scheduler plugin.
//
//     g++ -std=c++20 -include heist/integrations/parlay.hpp -I parlaylib/include ...
//
// ParlayLib chooses a plugin by a macro, from a fixed set, at the end of parlay/parallel.h. This
// header takes the place of the sequential one: it sets that one's macro and its include guard,
// includes parlay/parallel.h, and defines what that has declared. So it must be the first of
// ParlayLib's headers; -include makes it so without a change of the program.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "heist/chunks.hpp"
#include "heist/fork_join.hpp"
#include "heist/pool.hpp"

#if defined(PARLAY_PARALLEL_H_)
#error "heist: <heist/integrations/parlay.hpp> must come before ParlayLib's headers (-include)"
#elif defined(PARLAY_CILKPLUS) || defined(PARLAY_OPENCILK) || defined(PARLAY_OPENMP) || \
    defined(PARLAY_TBB)
#error "heist: another scheduler of ParlayLib is chosen; compile without its macro"
#endif
#if !defined(PARLAY_SEQUENTIAL)
#define PARLAY_SEQUENTIAL
#endif
#define PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_H_
#define PARLAY_INTERNAL_SCHEDULER_PLUGINS_SEQUENTIAL_HPP_

#include <parlay/parallel.h>

namespace parlay {

// Those of the pool of the caller, or else of the default pool, which isn't made by the question.
inline std::size_t num_workers() {
  const unsigned here = heist::this_worker::workers();
  return here != 0 ? here : heist::default_pool_workers();
}

// In [0, num_workers()); no two functions that run in a pool have the same at the same time. It
// stays until the caller forks, loops or waits. Any thread outside of a pool has 0: what is kept
// under that number, one such thread may use while it has nothing running in the pool. A pool whose
// callers have seats of their own (pool_config::caller_seats) can't be used: it has more slots.
inline std::size_t worker_id() {
  const int index = heist::this_worker::index();
  return index < 0 ? 0 : static_cast<std::size_t>(index);
}

// granularity: at least how many neighbouring iterations stay together; 0: as heist finds out.
// `conservative` asks for waits in which nothing unrelated begins, for bodies that hold locks. All
// waits of heist are such, but after a nested loop the thread may be another one.
template <class F>
inline void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity,
                         [[maybe_unused]] bool conservative) {
  static_assert(std::is_invocable_v<F&, std::size_t>);
  if (start >= end) return;
  const std::size_t least = granularity > 0 ? static_cast<std::size_t>(granularity) : 1;
  const auto run = [&f](std::size_t first, std::size_t last) {
    for (; first != last; ++first) f(first);
  };
  if (end - start <= least)
    run(start, end);  // without entering a pool
  else
    heist::parallel_for_chunks(start, end, run, least);
}

template <class Left, class Right>
inline void par_do(Left&& left, Right&& right, [[maybe_unused]] bool conservative) {
  static_assert(std::is_invocable_v<Left&&> && std::is_invocable_v<Right&&>);
  heist::fork_join(std::forward<Left>(left), std::forward<Right>(right));
}

}  // namespace parlay
