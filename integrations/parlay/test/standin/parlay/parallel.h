// What a plugin sees of ParlayLib's header of this name: the declarations of the four functions, a
// function over them, and the choice of a plugin. Written for the tests of heist's plugin.
#ifndef PARLAY_PARALLEL_H_
#define PARLAY_PARALLEL_H_

#include <cstddef>

namespace parlay {

inline std::size_t num_workers();
inline std::size_t worker_id();
template <typename F>
inline void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity = 0,
                         bool conservative = false);
template <typename Lf, typename Rf>
inline void par_do(Lf&& left, Rf&& right, bool conservative = false);

// Calls f(first, last) for the halves of halves of a range, down to so many.
template <typename F>
inline void by_halves(std::size_t first, std::size_t last, std::size_t small, F&& f) {
  if (last - first <= small) return f(first, last);
  const std::size_t middle = first + (last - first) / 2;
  par_do([&] { by_halves(first, middle, small, f); }, [&] { by_halves(middle, last, small, f); });
}

}  // namespace parlay

#if defined(PARLAY_SEQUENTIAL)
#include "internal/scheduler_plugins/sequential.h"
#else
#error "no plugin was chosen"
#endif

#endif
