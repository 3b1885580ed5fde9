// A wait that another thread ends, once: futures, locks and channels are built from it.
#pragma once

#include <cstdint>

#include "heist/detail/export.hpp"
#include "heist/detail/rendezvous.hpp"

namespace heist::inline v0::detail {

// What a wait is for, as reports name it (wait_texts in src/observe/checks/known_waits.cpp).
enum class wait_kind : std::uint32_t {
  none,
  other,
  join,
  scope,
  call,           // of a function that a pool runs
  blocking_call,  // of a function that may block, on a thread of its own
  mutex,
  shared_mutex_writer,
  shared_mutex_reader,
  future,
  sender,  // at a channel
  receiver,
  latch,
  semaphore,
  barrier,
  condition_variable,
  task_group,
};

// Who waits says for what, and at which object if there is one.
struct awaited {
  wait_kind kind = wait_kind::other;
  bool is_timed = false;  // it ends by itself
  const void* object = nullptr;
};

// One party waits and one ends the wait, in any order. It lies where the waiter puts it, usually on
// its stack, and is used once.
class wait_point {
 public:
  constexpr wait_point() noexcept = default;
  wait_point(const wait_point&) = delete;
  wait_point& operator=(const wait_point&) = delete;

  // Returns when end() has been called. A worker's fiber is suspended: its open forks and spawners
  // are exposed to other workers first, and the thread does other work. The fiber can continue on
  // another thread. Any other thread sleeps.
  HEIST_API void wait(awaited what = {}) noexcept;

  // Lets the waiter continue; it sees what happened before this call. Returns at once; *this may be
  // gone by then. Thread-safe, from any thread. Costs an exchange, and the cost of making a waiting
  // fiber ready or of waking a thread.
  HEIST_API void end() noexcept;

 private:
  rendezvous state_{};
};

// Identifies the running fiber; nullptr on a thread outside any pool.
HEIST_API const void* current_fiber() noexcept;

}  // namespace heist::inline v0::detail
