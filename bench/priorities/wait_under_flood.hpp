// What heist and oneTBB are both measured by.
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "bench/rounds.hpp"

namespace heist::bench {

struct flood {
  std::size_t size;                  // functions
  std::chrono::microseconds length;  // of each
  std::size_t samples;
  std::chrono::microseconds every;
};

// Gives the flood to `submit`, then at the interval the functions whose waits are measured to
// `submit_measured`; calls `end`, which returns when all have run, and adds the waits.
template <class Submit, class SubmitMeasured, class End>
void wait_under_flood(const flood& f, Submit&& submit, SubmitMeasured&& submit_measured, End&& end,
                      samples& waits_us) {
  const auto work = [length = f.length] {
    const auto until = clock::now() + length;
    while (clock::now() < until) {
    }
  };
  std::vector<double> waits(f.samples);
  for (std::size_t i = 0; i < f.size; ++i) submit(work);
  for (double& wait : waits) {
    std::this_thread::sleep_for(f.every);
    submit_measured([&wait, submitted = clock::now()] { wait = seconds_since(submitted); });
  }
  end();
  for (const double wait : waits) waits_us.add(wait * 1e6);
}

}  // namespace heist::bench
