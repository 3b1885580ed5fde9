// One queue for a whole pool, in place of the workers' deques (deque_kind::shared_queue).
//
// Every fork enters it, and every worker without work takes from it, in the order that the pool was
// given. A join takes its own job out of it, wherever it stands there: it claims the job. So,
// unlike with deques, jobs are taken in any order: a frame's newest job may be stolen before its
// older ones. A job that lies here is reachable for every worker, so a fiber that suspends leaves
// nothing behind.
//
// Invariants.
//   Q1  A job is in the queue if and only if its state says `queued`. Only under the mutex does
//       that begin and end, so exactly one of take() and claim() gets a job.
//   Q2  While a job is queued, the first word of its payload is its entry; the entry keeps what
//       stood there. The one that gets the job finds the payload as it was.
//
// Source: the shared work queue of CS149, lecture 5; by priority: longest task first, ibid.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <map>
#include <mutex>

#include "heist/config.hpp"
#include "heist/detail/job.hpp"

namespace heist::inline v0::detail {

class shared_queue {
 public:
  explicit shared_queue(queue_order order) noexcept : order_(order) {}
  shared_queue(const shared_queue&) = delete;
  shared_queue& operator=(const shared_queue&) = delete;

  struct taken {
    job* item = nullptr;  // nullptr: the queue was empty
    int priority = 0;
  };

  // Thread-safe, all of them. The priority counts under queue_order::priority only.
  // False: there is no memory for an entry.
  bool push(job& j, int priority) noexcept;
  // The next job by the queue's order.
  taken take() noexcept;
  // True: j was in the queue, and is the caller's now.
  bool claim(job& j) noexcept;
  // The same in the child of fork(), where a thread that doesn't exist may hold the mutex. The job
  // must have been pushed by the calling thread.
  static bool claim_alone(job& j) noexcept;

  // Relaxed: what it says may have changed meanwhile.
  [[nodiscard]] std::size_t size_hint() const noexcept {
    return size_.load(std::memory_order_relaxed);
  }

 private:
  // A place in a list; a list itself is a ring with a head that is no entry.
  struct link {
    link* before;
    link* after;
  };
  struct list : link {
    list() noexcept : link{this, this} {}
    list(const list&) = delete;
    list& operator=(const list&) = delete;
    [[nodiscard]] bool is_empty() const noexcept { return after == this; }
  };
  struct entry : link {
    job* item;
    std::uint64_t word;  // Q2
    int priority;
  };

  entry* make_entry();  // throws std::bad_alloc
  void remove(entry& e) noexcept;

  const queue_order order_;
  std::atomic<std::size_t> size_{0};  // written under the mutex
  std::mutex mutex_;
  // Guarded by the mutex. One list of each priority that has occurred, the highest one first; fifo
  // and lifo have one priority.
  std::map<int, list, std::greater<>> lists_;
  std::forward_list<entry> entries_;
  link* free_ = nullptr;  // linked by `after`
};

}  // namespace heist::inline v0::detail
