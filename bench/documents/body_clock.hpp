// How long each worker of a pool was inside the bodies of a loop or of tasks, and when it left the
// last one.
#pragma once

#include <algorithm>
#include <vector>

#include <heist/pool.hpp>

#include "bench/rounds.hpp"
#include "platform/cpu.hpp"

namespace heist::bench {

// A body must not fork, so that it ends on the worker on which it began. Each worker writes to its
// own place; the figures are read after the run. A body's time includes the time during which the
// system ran something else on the worker's processor.
class body_clock {
 public:
  explicit body_clock(unsigned workers) : of_(workers) {}

  void start() {
    began_ = clock::now();
    std::fill(of_.begin(), of_.end(), worker{{}, began_});
  }
  // Calls body() on a worker; returns the time that it took.
  template <class Body>
  clock::duration around(const Body& body) {
    const auto from = clock::now();
    body();
    auto& mine = of_[static_cast<std::size_t>(this_worker::index())];
    mine.left = clock::now();
    mine.busy += mine.left - from;
    return mine.left - from;
  }

  [[nodiscard]] double mean_s() const {
    clock::duration sum{};
    for (const auto& each : of_) sum += each.busy;
    return in_seconds(sum) / static_cast<double>(of_.size());
  }
  // Of the worker that was in bodies the longest.
  [[nodiscard]] double greatest_s() const {
    const auto busier = [](const worker& a, const worker& b) { return a.busy < b.busy; };
    return in_seconds(std::max_element(of_.begin(), of_.end(), busier)->busy);
  }
  // From the end of the first worker's last body to that of the last worker's.
  [[nodiscard]] double tail_s() const {
    const auto earlier = [](const worker& a, const worker& b) { return a.left < b.left; };
    const auto [first, last] = std::minmax_element(of_.begin(), of_.end(), earlier);
    return in_seconds(last->left - first->left);
  }

 private:
  struct alignas(platform::cache_line_bytes) worker {
    clock::duration busy{};
    clock::time_point left;  // the start, if it ran no body
  };

  static double in_seconds(clock::duration time) {
    return std::chrono::duration<double>(time).count();
  }

  clock::time_point began_;
  std::vector<worker> of_;
};

}  // namespace heist::bench
