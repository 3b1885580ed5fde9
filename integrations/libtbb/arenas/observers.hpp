// Observers: objects of the program that are told when a thread enters or leaves an arena.
//
// An arena numbers its observers in the order in which they begin to observe. A thread remembers
// the number of the newest one that it has been announced to, so it announces itself to new ones
// only; it does so when it sits down and before it runs what it has not spawned itself.
//
// Roles. list, numbers: under the lock. newest_ is read without it, as a hint. While a thread is
// inside an observer's function, the observer's busy count is raised, under the lock at first, and
// observe(false) waits until it is 0; so no function of an observer begins after that.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "parts/abi.hpp"

namespace heist::inline v0::libtbb {
class work_arena;
}

namespace tbb::detail::r1 {

// An observer's place in a list; the observer points at it while it observes.
class observer_proxy {
 public:
  static std::atomic<observer_proxy*>& of(d1::task_scheduler_observer& o) noexcept {
    return o.my_proxy;
  }
  static std::atomic<std::intptr_t>& busy(d1::task_scheduler_observer& o) noexcept {
    return o.my_busy_count;
  }

  d1::task_scheduler_observer* observer;
  heist::v0::libtbb::work_arena* where;
  std::uint64_t number;
};

}  // namespace tbb::detail::r1

namespace heist::inline v0::libtbb {

struct participant;

class observer_list {
 public:
  void add(r1::observer_proxy& p);
  // Returns when no thread is inside its functions.
  void remove(r1::observer_proxy& p) noexcept;

  // Announces the participant to those that do not know it. Costs a load if there is none.
  void enter(participant& me) {
    // Acquire: partner in add().
    if (newest_.load(std::memory_order_acquire) > seen(me)) [[unlikely]]
      enter_new(me);
  }
  void leave(participant& me) noexcept;

 private:
  static std::uint64_t seen(const participant& me) noexcept;
  void enter_new(participant& me);

  std::mutex lock_;
  std::vector<r1::observer_proxy*> list_;  // in the order of their numbers
  std::atomic<std::uint64_t> newest_{0};
};

}  // namespace heist::inline v0::libtbb
