// libjxl's work on a pool: the runner that JPEG XL encoders and decoders take from their host.
//
//     JxlEncoderSetParallelRunner(encoder, heist::integrations::jxl_runner, &pool);
//     JxlDecoderSetParallelRunner(decoder, heist::integrations::jxl_runner, &pool);
//
// Needs libjxl's headers (0.7), none of its libraries.
#pragma once

#include <jxl/parallel_runner.h>

#include <cstddef>
#include <cstdint>

#include "heist/parallel_for.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0::integrations {

// A JxlParallelRunner. `where` is the heist::pool, which must outlive the encoder or decoder, or
// nullptr for the default pool. Calls work(image, i, worker) for every i with first <= i < last, on
// the pool's workers: no two calls at once have the same worker's index. Returns 0; what `init`
// returned, if that isn't 0; JXL_PARALLEL_RET_RUNNER_ERROR for an inverted range, where the default
// pool can't be made, or if work threw. Nothing is thrown into libjxl. Thread-safe. Where the
// caller is a worker, it may return on another one, as a loop may.
inline JxlParallelRetCode jxl_runner(void* where, void* image, JxlParallelRunInit init,
                                     JxlParallelRunFunction work, std::uint32_t first,
                                     std::uint32_t last) noexcept {
  if (first > last) return JXL_PARALLEL_RET_RUNNER_ERROR;
  if (first == last) return 0;
  try {
    pool& p = where != nullptr ? *static_cast<pool*>(where) : default_pool();
    if (const JxlParallelRetCode refused = init(image, p.slots()); refused != 0) return refused;
    parallel_for(p, first, last, [&](std::uint32_t i) {
      work(image, i, static_cast<std::size_t>(p.worker_index()));
    });
    return 0;
  } catch (...) {
    return JXL_PARALLEL_RET_RUNNER_ERROR;
  }
}

}  // namespace heist::inline v0::integrations
