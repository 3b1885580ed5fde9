// Yields to other workers, between attempts to steal.
//
// Arora, Blumofe and Plaxton ask the kernel not to run the caller again before a random process, or
// every other one, has run. Linux has no such call: sched_yield() names nobody. These yields are
// approximations. The caller gives its processor up, looks at the processor time that the kernel
// has charged to the others, and gives it up again until that has grown. Another thread that runs
// at the time satisfies it at once, as in the paper; one that sleeps has nothing to run and is not
// waited for. Unlike in the paper the caller itself is scheduled now and then, to look; after a few
// looks it sleeps in between, so that it takes no time from those it waits for. And it waits at
// most `longest_wait`, since a worker may be blocked in the kernel for ever.
//
// Source: Arora, Blumofe and Plaxton, 1998, section 4: yield to random, yield to all.
#include <sched.h>

#include <algorithm>
#include <bitset>
#include <chrono>
#include <thread>

#include "platform/thread.hpp"
#include "runtime/core/pool_impl.hpp"
#include "runtime/core/worker.hpp"

namespace heist::inline v0::detail {

namespace {

constexpr auto longest_wait = std::chrono::milliseconds(10);
constexpr auto pause_between_looks = std::chrono::microseconds(50);
constexpr unsigned looks_without_pause = 4;
constexpr unsigned most_at_once = 32;  // workers that are waited for together

bool sleeps(const worker& w) noexcept {
  // Relaxed: the one that goes to sleep just now is waited for a little longer.
  return w.doing.load(std::memory_order_relaxed) == worker_state::parked;
}

}  // namespace

void pool_impl::yield_to(worker& w, unsigned first, unsigned count) noexcept {
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  for (unsigned from = first; from < first + count; from += most_at_once) {
    const unsigned n = std::min(most_at_once, first + count - from);
    std::int64_t before[most_at_once];
    std::bitset<most_at_once> missing;
    for (unsigned i = 0; i < n; ++i) {
      if (from + i == w.index) continue;
      before[i] = platform::processor_time_of(resident(from + i).tid);
      missing.set(i);
    }
    for (unsigned look = 0; missing.any(); ++look) {
      sched_yield();
      if (look >= looks_without_pause) std::this_thread::sleep_for(pause_between_looks);
      for (unsigned i = 0; i < n; ++i)
        if (missing[i] && (sleeps(resident(from + i)) ||
                           platform::processor_time_of(resident(from + i).tid) != before[i]))
          missing.reset(i);
      if (stopping() || std::chrono::steady_clock::now() >= end) return;
    }
  }
}

}  // namespace heist::inline v0::detail
