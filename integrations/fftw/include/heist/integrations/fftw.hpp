// FFTW's threads on a pool: plans that are made for several threads run on heist's workers.
//
//     heist::integrations::use_in_fftw(pool);
//     fftw_plan plan = fftw_plan_dft_2d(...);
//     fftw_execute(plan);
//
// Needs FFTW 3.3.9 or newer, with its fftw3_threads library.
#pragma once

#include <fftw3.h>

#include <cstddef>

#include "heist/error.hpp"
#include "heist/parallel_for.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0::integrations {

// What fftw_threads_set_callback takes, and fftwf_, fftwl_ and fftwq_threads_set_callback. `where`
// is the heist::pool, which must live until the last plan was executed, or nullptr for the default
// pool. Calls work(jobs + i * size) for each of `count` jobs, on the pool's workers, and returns
// when all have ended. Thread-safe. Where the caller is a worker, it may return on another one, as
// a loop may. Since C can't be told of it, a pool that can't be entered (the parent's in a child of
// fork(), a default pool without memory) ends the program.
inline void fftw_loop(void* (*work)(char*), char* jobs, std::size_t size, int count,
                      void* where) noexcept {
  pool& p = where != nullptr ? *static_cast<pool*>(where) : default_pool();
  parallel_for(p, 0, count, [=](int i) { work(jobs + size * static_cast<std::size_t>(i)); });
}

// Makes FFTW's plans for doubles run on `p`: all that are executed from now on, also those that
// were made before. New plans are for as many threads as p has workers (fftw_plan_with_nthreads
// chooses another number). To be called as FFTW's planner: by one thread at a time. Throws
// resource_error if FFTW can't begin with threads.
inline void use_in_fftw(pool& p) {
  if (fftw_init_threads() == 0) throw resource_error("fftw_init_threads failed");
  fftw_threads_set_callback(&fftw_loop, &p);
  fftw_plan_with_nthreads(static_cast<int>(p.workers()));
}
// The same for FFTW's plans for floats.
inline void use_in_fftwf(pool& p) {
  if (fftwf_init_threads() == 0) throw resource_error("fftwf_init_threads failed");
  fftwf_threads_set_callback(&fftw_loop, &p);
  fftwf_plan_with_nthreads(static_cast<int>(p.workers()));
}

}  // namespace heist::inline v0::integrations
