// Eigen's Tensor expressions on a pool.
//
//     heist::integrations::eigen_pool threads(pool);
//     Eigen::ThreadPoolDevice device(&threads, threads.NumThreads());
//     c.device(device) = a.contract(b, pairs);  // on a thread outside the pool
//     heist::blocking([&] { c.device(device) = a.contract(b, pairs); });  // on a worker
//
// An expression ends with a wait on a std::condition_variable, which would block a worker; when all
// of them wait so, nothing goes on. heist::blocking makes the wait one of a thread beside the pool.
// Needs Eigen 3.4, its headers under unsupported/.
#pragma once

#include <unsupported/Eigen/CXX11/ThreadPool>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "heist/pool.hpp"

namespace heist::inline v0::integrations {

// The pool must outlive it.
class eigen_pool : public Eigen::ThreadPoolInterface {
 public:
  explicit eigen_pool(pool& p) : pool_(p) {}
  eigen_pool(const eigen_pool&) = delete;
  eigen_pool& operator=(const eigen_pool&) = delete;

  // Waits until all functions that were scheduled have ended, as Eigen's own does. Must not be
  // called by one of them, nor by a worker of the pool.
  ~eigen_pool() override {
    // Acquire: what the functions did comes before what the caller does with their results.
    std::size_t left;
    while ((left = state_->unfinished.load(std::memory_order_acquire)) != 0)
      state_->unfinished.wait(left, std::memory_order_acquire);
  }

  // Gives f to the pool. An exception of f ends the program. Throws as pool::submit does, and then
  // f isn't called. Thread-safe. One allocation, besides std::function's own.
  void Schedule(std::function<void()> f) override {
    static_cast<void>(pool_.submit(scheduled{counted(state_), std::move(f)}));
  }
  // The hint is a range of threads, which is left to the pool: any worker may steal f.
  void ScheduleWithHint(std::function<void()> f, int, int) override { Schedule(std::move(f)); }

  // Functions that haven't begun are dropped without a call, those of the future too.
  // Relaxed: nothing else is read after it.
  void Cancel() override { state_->is_cancelled.store(true, std::memory_order_relaxed); }

  [[nodiscard]] int NumThreads() const override { return static_cast<int>(pool_.slots()); }
  // The worker's index; -1 on other threads.
  [[nodiscard]] int CurrentThreadId() const override { return pool_.worker_index(); }

 private:
  // A function holds it too: the destructor may have seen its end before it has returned.
  struct shared {
    std::atomic<std::size_t> unfinished{0};
    std::atomic<bool> is_cancelled{false};
  };
  // Counts a function as long as it is there.
  struct counted {
    explicit counted(std::shared_ptr<shared> s) noexcept : state(std::move(s)) {
      state->unfinished.fetch_add(1, std::memory_order_relaxed);  // the destructor is called later
    }
    counted(counted&&) = default;
    ~counted() {
      // Release: partner of the destructor's load.
      if (state != nullptr && state->unfinished.fetch_sub(1, std::memory_order_release) == 1)
        state->unfinished.notify_all();
    }
    std::shared_ptr<shared> state;
  };
  struct scheduled {
    void operator()() noexcept {
      // Relaxed: a function that begins while Cancel() is called may run or not.
      if (!running.state->is_cancelled.load(std::memory_order_relaxed)) f();
    }
    counted running;  // outlives the function
    std::function<void()> f;
  };

  pool& pool_;
  const std::shared_ptr<shared> state_ = std::make_shared<shared>();
};

}  // namespace heist::inline v0::integrations
