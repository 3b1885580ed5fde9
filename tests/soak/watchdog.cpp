#include "tests/soak/watchdog.hpp"

#include <cstdio>
#include <cstdlib>

#include "heist/stats.hpp"
#include "tests/soak/open_nodes.hpp"
#include "tests/soak/program.hpp"

namespace heist_soak {

namespace {

constexpr auto tick = std::chrono::milliseconds(100);

}  // namespace

watchdog::watchdog(std::chrono::seconds patience, std::function<std::string()> what)
    : most_ticks_(static_cast<unsigned>(patience / tick)),
      what_(std::move(what)),
      thread_([this] { watch(); }) {}

watchdog::~watchdog() {
  over_.store(true, std::memory_order_relaxed);
  thread_.join();
}

// The watchdog counts its own ticks instead of using the clock, so that stopping the whole machine
// is not taken for a hang.
void watchdog::watch() const {
  std::uint64_t seen = progress.load(std::memory_order_relaxed);
  unsigned ticks = 0;
  while (!over_.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(tick);
    const std::uint64_t now = progress.load(std::memory_order_relaxed);
    ticks = now == seen ? ticks + 1 : 0;
    seen = now;
    if (ticks < most_ticks_) continue;
    // The state is printed twice: whatever changes in between is not stuck.
    for (int i = 0; i < 2; ++i) {
      std::fprintf(stderr, "heist_soak: no progress for %u s: %s\n%snodes that have not ended:\n%s",
                   most_ticks_ / 10, what_().c_str(), heist::describe_pools().c_str(),
                   open_node::describe(60).c_str());
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    std::fflush(nullptr);
    std::abort();
  }
}

}  // namespace heist_soak
