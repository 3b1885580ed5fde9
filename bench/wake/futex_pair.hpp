// The lower bound of every wake-up: one thread sleeps on a futex and answers when it is woken.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "bench/rounds.hpp"
#include "platform/affinity.hpp"

namespace heist::bench {

class futex_pair {
 public:
  futex_pair();
  ~futex_pair();
  futex_pair(const futex_pair&) = delete;
  futex_pair& operator=(const futex_pair&) = delete;

  // Seconds from before the system call that wakes the other thread to its first instruction. The
  // caller spins meanwhile.
  double wake();

  // From now on the other thread does not run on `cpu`, if it can run on another processor.
  void keep_off(int cpu);

  // Seconds until the other thread's answer has woken the caller, which sleeps meanwhile.
  double round_trip();

 private:
  enum class order : std::uint32_t { none, answer_at_once, wake_me, end };

  void serve();

  std::atomic<std::uint32_t> order_{
      0};  // the caller writes (release) what the server reads (acquire)
  std::atomic<std::uint32_t> answer_{0};  // the other way round; counts answers
  clock::time_point woken_at_{};          // written before the answer
  int kept_off_ = -1;
  platform::common_mask mask_;
  std::atomic<pid_t> server_id_{0};
  std::thread server_;
};

}  // namespace heist::bench
