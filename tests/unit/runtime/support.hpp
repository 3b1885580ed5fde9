// The runtime's tests share these: ways to force a steal, a watchdog, and a scale for slow builds.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "tests/unit/platform/sanitizers.hpp"

namespace heist_test {

#if defined(HEIST_TEST_EMULATED)
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

// With HEIST_SERIAL=1 every fork, spawn and submission is a call, and nothing is ever stolen.
inline bool is_serial() {
  const char* const value = std::getenv("HEIST_SERIAL");
  return value != nullptr && std::string_view(value) == "1";
}

// The rounds of a repeated test; there are fewer where each costs ten times as much.
inline constexpr int scaled(int n) {
  const int divisor = emulated ? 20 : tsan || asan ? 10 : 1;
  return n / divisor < 2 ? 2 : n / divisor;
}

// Returns true as soon as done() does, and false if it does not within 30 s, which is a failure and
// not a measure of speed.
template <class Done>
[[nodiscard]] bool eventually(Done&& done) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  for (unsigned i = 0; !done(); ++i) {
    if (i % 64 == 63 && std::chrono::steady_clock::now() > limit) return false;
    sched_yield();
  }
  return true;
}

// Keeps the thread busy for a while. It does not yield, because beside busy processes each yield
// costs milliseconds.
inline void linger(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

// A flag that one function raises and another waits for.
class signal_flag {
 public:
  // Release and acquire are partners of each other: operations before the first are visible after
  // the second.
  void raise() noexcept { up_.store(true, std::memory_order_release); }
  [[nodiscard]] bool is_up() const noexcept { return up_.load(std::memory_order_acquire); }
  [[nodiscard]] bool wait() const {
    return eventually([this] { return is_up(); });
  }

 private:
  std::atomic<bool> up_{false};
};

// Ends the process with a message if the scope lasts too long, so that a hang is reported by name.
class watchdog {
 public:
  explicit watchdog(std::string what, std::chrono::seconds limit = std::chrono::seconds(120))
      : thread_([this, what = std::move(what), limit] {
          std::unique_lock hold(mutex_);
          if (changed_.wait_for(hold, limit, [this] { return over_; })) return;
          std::fprintf(stderr, "hang: %s\n", what.c_str());
          std::abort();
        }) {}
  ~watchdog() {
    {
      const std::lock_guard hold(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  // guarded by mutex_
  std::thread thread_;
};

// Counts its living objects.
struct counted {
  static inline std::atomic<long> alive{0};
  counted() noexcept { alive.fetch_add(1, std::memory_order_relaxed); }
  counted(const counted&) noexcept : counted() {}
  counted(counted&&) noexcept : counted() {}
  counted& operator=(const counted&) noexcept = default;
  counted& operator=(counted&&) noexcept = default;
  ~counted() { alive.fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace heist_test
