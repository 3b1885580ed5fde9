// What `heist bench latency` asks of a scheduler: to be busy, and to begin something meanwhile.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

namespace heist::bench {

// Keeps a processor busy, unless it is over.
inline void linger(const std::atomic<bool>& is_over, std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!is_over.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < end) {
  }
}

// Half a microsecond.
inline void piece_of_work() {
  static constexpr std::atomic<bool> never{false};
  linger(never, std::chrono::nanoseconds(500));
}

// An empty function: the system has no such thing, or isn't in this build.
struct latency_system {
  std::string name;
  // Keeps all workers busy with one call, for a second or until it is over.
  std::function<void(const std::atomic<bool>& is_over)> be_busy{};
  // A loop of 10 iterations of nothing. Returns when it has ended.
  std::function<void()> short_loop{};
  // A loop of so many pieces of work.
  std::function<void(int iterations)> loop_of_work{};
  // Starts a function and returns.
  std::function<void(std::function<void()>)> start{};
  // Holds so many connections, each of which waits for 1 ms and then works for 20 us, and works for
  // nobody else than start() meanwhile. Returns when it is over.
  std::function<void(const std::atomic<bool>& is_over, unsigned connections)> connect{};
};

[[nodiscard]] latency_system onetbb_latency(unsigned workers);
[[nodiscard]] latency_system asio_latency(unsigned workers);
[[nodiscard]] latency_system async_latency();

}  // namespace heist::bench
