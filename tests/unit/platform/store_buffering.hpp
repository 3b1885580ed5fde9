// The litmus test of the asymmetric barrier.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <span>
#include <thread>
#include <utility>

#include "platform/barrier.hpp"
#include "platform/cpu.hpp"
#include "platform/thread.hpp"

namespace heist_test {

// A thread that can be a target of heavy_barrier, and that runs `body`.
class admitted_thread {
 public:
  explicit admitted_thread(std::function<void()> body)
      : thread_([this, run = std::move(body)] {
          heist::platform::asymmetric_barrier::instance().admit_this_thread();
          // Release: the partner is the acquire in tid().
          tid_.store(heist::platform::thread_id(), std::memory_order_release);
          run();
        }) {}
  ~admitted_thread() {
    if (thread_.joinable()) thread_.join();
  }
  admitted_thread(const admitted_thread&) = delete;
  admitted_thread& operator=(const admitted_thread&) = delete;

  void join() { thread_.join(); }
  [[nodiscard]] pid_t tid() const {
    pid_t known = 0;
    while ((known = tid_.load(std::memory_order_acquire)) == 0) std::this_thread::yield();
    return known;
  }

 private:
  std::atomic<pid_t> tid_{0};
  std::thread thread_;
};

inline void spin_until(const std::atomic<int>& word, int value) {
  // Acquire: the partner is the other side's release store of the round.
  for (int turn = 0; word.load(std::memory_order_acquire) != value; ++turn) {
    if (turn < 2000) {
      heist::platform::pause();
    } else {
      std::this_thread::yield();
    }
  }
}

// Store buffering: the fast side stores x and loads y with a light barrier in between; the slow
// side stores y and loads x with `slow_barrier` in between. The outcome "both loads saw 0" is what
// a heavy barrier forbids.
class store_buffering {
 public:
  // Counts rounds with the forbidden outcome, and stops at the first; makes at most `rounds`, or
  // runs until `limit`.
  int run(const std::function<void(std::span<const pid_t>)>& slow_barrier, int rounds,
          std::chrono::seconds limit) {
    admitted_thread fast([this, rounds] { fast_side(rounds); });
    const std::array<pid_t, 1> tids{fast.tid()};
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::minstd_rand random(42);
    int forbidden = 0;
    for (int round = 1; round <= rounds; ++round) {
      // Relaxed, here and in fast_side: the test is about the barriers' orders; go and done order
      // the rounds.
      x_.store(0, std::memory_order_relaxed);
      y_.store(0, std::memory_order_relaxed);
      const bool last = forbidden != 0 || std::chrono::steady_clock::now() > deadline;
      // Release: the partner is the acquire in spin_until.
      go_.store(last ? -1 : round, std::memory_order_release);
      if (last) return forbidden;
      for (auto delay = random() % 256; delay > 0; --delay) heist::platform::light_barrier();
      y_.store(1, std::memory_order_relaxed);
      slow_barrier(tids);
      const int saw_x = x_.load(std::memory_order_relaxed);
      spin_until(done_, round);
      if (saw_x == 0 && fast_saw_y_ == 0) ++forbidden;
      ++rounds_run_;
    }
    return forbidden;
  }

  [[nodiscard]] int rounds_run() const { return rounds_run_; }

 private:
  void fast_side(int rounds) {
    for (int round = 1; round <= rounds; ++round) {
      int now = 0;
      // Acquire: the partner is the release in run.
      for (int turn = 0; (now = go_.load(std::memory_order_acquire)) != round; ++turn) {
        if (now == -1) return;
        if (turn > 2000) std::this_thread::yield();
      }
      x_.store(1, std::memory_order_relaxed);
      heist::platform::light_barrier();
      fast_saw_y_ = y_.load(std::memory_order_relaxed);
      // Release: the partner is the acquire in spin_until.
      done_.store(round, std::memory_order_release);
    }
  }

  alignas(128) std::atomic<int> x_{0};
  alignas(128) std::atomic<int> y_{0};
  alignas(128) std::atomic<int> go_{0};
  alignas(128) std::atomic<int> done_{0};
  alignas(128) int fast_saw_y_ = 0;
  int rounds_run_ = 0;
};

}  // namespace heist_test
