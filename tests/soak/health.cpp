#include "tests/soak/health.hpp"

#include <chrono>
#include <cstdio>
#include <stop_token>
#include <thread>

namespace heist_soak {
namespace {

using clock = std::chrono::steady_clock;

// The thread of a round's checks writes it; two never live at once.
struct {
  std::uint64_t checks = 0;
  std::uint64_t over_1ms = 0, over_10ms = 0, over_100ms = 0;
  std::chrono::nanoseconds all{0}, longest{0};
  std::uint64_t round_of_longest = 0;
} seen;

void note(std::chrono::nanoseconds wait, std::uint64_t round) {
  using namespace std::chrono_literals;
  ++seen.checks;
  seen.all += wait;
  seen.over_1ms += wait > 1ms ? 1 : 0;
  seen.over_10ms += wait > 10ms ? 1 : 0;
  seen.over_100ms += wait > 100ms ? 1 : 0;
  if (wait <= seen.longest) return;
  seen.longest = wait;
  seen.round_of_longest = round;
}

}  // namespace

health_checks::health_checks(heist::pool& pool, std::uint64_t round)
    : thread_([&pool, round](const std::stop_token& over) {
        while (!over.stop_requested()) {
          const auto asked = clock::now();
          note(pool.submit(heist::priority::high, [] { return clock::now(); }).get() - asked,
               round);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }) {}

void health_checks::report() {
  const auto ms = [](std::chrono::nanoseconds t) { return static_cast<double>(t.count()) * 1e-6; };
  std::printf(
      "%llu health checks began after %.3f ms in the mean; after more than 1 ms %llu, 10 ms %llu, "
      "100 ms %llu; the last of them after %.1f ms (--seed %llu --rounds 1)\n",
      static_cast<unsigned long long>(seen.checks),
      seen.checks == 0 ? 0 : ms(seen.all) / static_cast<double>(seen.checks),
      static_cast<unsigned long long>(seen.over_1ms),
      static_cast<unsigned long long>(seen.over_10ms),
      static_cast<unsigned long long>(seen.over_100ms), ms(seen.longest),
      static_cast<unsigned long long>(seen.round_of_longest));
}

}  // namespace heist_soak
