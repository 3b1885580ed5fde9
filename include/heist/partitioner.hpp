// Partitioners: who runs which iterations of a loop.
#pragma once

#include <concepts>
#include <cstddef>

#include "heist/parallel/split_loop.hpp"

namespace heist::inline v0 {

namespace detail {

// What a partitioner is asked to run: iterations [first, last), first < last <= n.
struct any_work {
  void operator()(std::size_t first, std::size_t last) const;
};

}  // namespace detail

// A partitioner has run(n, work, workers): on a worker of a pool with so many it must call work(first, last) for
// chunks that make up [0, n), n > 0, each once, and return when all have returned; work may be called by
// several workers at once.
template <class P>
concept partitioner = requires(P& p, std::size_t n, const detail::any_work& work,
                               unsigned workers) {
  p.run(n, work, workers);
};

// Splits what is left when another worker asks for work. For every loop of which nothing particular
// is known; the default.
struct on_demand {
  template <class Work>
  void run(std::size_t n, const Work& work, unsigned workers) const {
    detail::split_on_demand(n, work, workers);
  }
};

}  // namespace heist::inline v0
