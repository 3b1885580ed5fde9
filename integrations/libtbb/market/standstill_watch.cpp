#include "market/standstill_watch.hpp"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <system_error>
#include <thread>

namespace heist::inline v0::libtbb {

namespace {

// How long work stands still before one more visit begins: some twenty times what a wake-up costs,
// so that a thread that was only slow to wake is seen to work.
constexpr std::chrono::milliseconds patience{1};

}  // namespace

bool standstill_watch::begin() noexcept {
  // Relaxed: what is to be seen is under the market's lock.
  if (word_.exchange(asked, std::memory_order_relaxed) == asleep) platform::futex_wake(word_, 1);
  if (has_thread_) return true;
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([this]() noexcept { run(); }).detach();  // the market is never destroyed
    has_thread_ = true;
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return has_thread_;
}

void standstill_watch::run() noexcept {
  pthread_setname_np(pthread_self(), "heist-tbb-watch");
  for (;;) {
    // Relaxed, all: as in begin().
    while (word_.load(std::memory_order_relaxed) == asleep) platform::futex_wait(word_, asleep);
    word_.store(running, std::memory_order_relaxed);
    std::this_thread::sleep_for(patience);
    if (look_()) continue;
    std::uint32_t expected = running;
    word_.compare_exchange_strong(expected, asleep, std::memory_order_relaxed,
                                  std::memory_order_relaxed);
  }
}

}  // namespace heist::inline v0::libtbb
