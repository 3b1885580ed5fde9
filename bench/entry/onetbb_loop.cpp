#include "bench/entry/onetbb_loop.hpp"

#include <memory>

#if HEIST_BENCH_ONETBB
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#endif

#include "bench/entry/loop_body.hpp"

namespace heist::bench {

std::function<void()> onetbb_loop([[maybe_unused]] unsigned workers, [[maybe_unused]] std::size_t n,
                                  [[maybe_unused]] double* values) {
#if HEIST_BENCH_ONETBB
  const auto limit =
      std::make_shared<tbb::global_control>(tbb::global_control::max_allowed_parallelism, workers);
  return [limit, n, values] {
    tbb::parallel_for(std::size_t{0}, n, [values](std::size_t i) { step(values[i]); });
  };
#else
  return {};
#endif
}

}  // namespace heist::bench
