#include "bench/wake/futex_pair.hpp"

#include "platform/park.hpp"
#include "platform/thread.hpp"

namespace heist::bench {

futex_pair::futex_pair() : server_([this] { serve(); }) {
  mask_.note();
  server_id_.wait(0);
}

futex_pair::~futex_pair() {
  order_.store(static_cast<std::uint32_t>(order::end), std::memory_order_release);
  platform::futex_wake(order_, 1);
  server_.join();
}

double futex_pair::wake() {
  const auto answers =
      answer_.load(std::memory_order_relaxed);  // only the server writes it, when asked
  const auto start = clock::now();
  // Release and acquire in both functions order the two threads' turns.
  order_.store(static_cast<std::uint32_t>(order::answer_at_once), std::memory_order_release);
  platform::futex_wake(order_, 1);
  while (answer_.load(std::memory_order_acquire) == answers) {
  }
  return std::chrono::duration<double>(woken_at_ - start).count();
}

void futex_pair::keep_off(int cpu) {
  if (cpu == kept_off_) return;
  if (kept_off_ >= 0) mask_.restore(server_id_);
  kept_off_ = mask_.forbid(server_id_, cpu) ? cpu : -1;
}

double futex_pair::round_trip() {
  const auto answers = answer_.load(std::memory_order_relaxed);
  const auto start = clock::now();
  order_.store(static_cast<std::uint32_t>(order::wake_me), std::memory_order_release);
  platform::futex_wake(order_, 1);
  while (answer_.load(std::memory_order_acquire) == answers) platform::futex_wait(answer_, answers);
  return seconds_since(start);
}

void futex_pair::serve() {
  server_id_ = platform::thread_id();
  server_id_.notify_one();
  for (;;) {
    const auto asked = static_cast<order>(order_.load(std::memory_order_acquire));
    if (asked == order::none) {
      platform::futex_wait(order_, static_cast<std::uint32_t>(order::none));
      continue;
    }
    if (asked == order::end) return;
    woken_at_ = clock::now();
    order_.store(static_cast<std::uint32_t>(order::none), std::memory_order_relaxed);
    answer_.fetch_add(1, std::memory_order_release);
    if (asked == order::wake_me) platform::futex_wake(answer_, 1);
  }
}

}  // namespace heist::bench
