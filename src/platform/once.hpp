// Something that is done once in a process, where fork() may come in between.
//
// A function-local static would be simpler, and hang: a child that is forked while another thread
// makes the static inherits it half made, and waits for ever for a thread that it doesn't have.
// Here the word says in which process the work was begun, and a child begins it anew.
//
// Who writes what. state_: the one that takes it from idle (or from the work of another process) to
// running, and that thread again when the work has ended.
#pragma once

#include <atomic>
#include <cstdint>

#include "platform/park.hpp"
#include "platform/process.hpp"

namespace heist::inline v0::platform {

class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

  // Calls work(), unless a call has ended well already. If it throws, the next caller tries again.
  // Threads that come meanwhile wait. What was done before a fork() stays done in the child.
  template <class Work>
  void call(Work&& work) {
    // Acquire: partner is the release in finish(); carries what work() did.
    std::uint32_t seen = state_.load(std::memory_order_acquire);
    while (seen != done) {
      const std::uint32_t running = process_generation() << 2 | running_bit;
      if (seen == running) {
        futex_wait(state_, running);
        seen = state_.load(std::memory_order_acquire);
      } else if (state_.compare_exchange_weak(seen, running, std::memory_order_acquire,
                                              std::memory_order_acquire)) {
        try {
          work();
        } catch (...) {
          finish(idle);
          throw;
        }
        return finish(done);
      }
    }
  }

 private:
  static constexpr std::uint32_t idle = 0;
  static constexpr std::uint32_t done = 1;
  static constexpr std::uint32_t running_bit = 2;  // the process's generation lies above it

  void finish(std::uint32_t how) noexcept {
    state_.store(how, std::memory_order_release);  // partner: the loads in call()
    futex_wake(state_, 1 << 30);
  }

  park_word state_{idle};
};

}  // namespace heist::inline v0::platform
