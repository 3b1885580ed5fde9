// asio_context: lets asio run completion handlers in a pool. Needs asio (1.22 or newer, without
// Boost).
//
//     heist::pool pool;
//     heist::asio_context context(pool);
//     asio::post(context.get_executor(), [] { ... });
//     asio::steady_timer timer(context.get_executor(), std::chrono::seconds(1));
//     timer.async_wait([](std::error_code) { ... });                 // called on a worker
//     asio::strand<heist::asio_context::executor_type> one_at_a_time(context.get_executor());
//     context.join();
//
// Handlers run on fibers: they may fork, and wait for heist's futures, locks and channels, while
// their worker does something else. Timers and sockets wait in a thread of asio, which begins with
// the first of them. A program's own io_context works as well, with handlers bound to the pool by
// asio::bind_executor.
#pragma once

#include <asio/execution.hpp>
#include <asio/execution_context.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "heist/detail/work_count.hpp"
#include "heist/pool.hpp"

namespace heist::inline v0 {

// Holds asio's services for one pool, which must outlive it. Any number of contexts may share a
// pool.
class asio_context : public asio::execution_context {
 public:
  class executor_type;

  explicit asio_context(pool& p) : pool_(p) {}

  // As in asio::thread_pool: functions that have begun end first. Functions that haven't are
  // destroyed without a call, and so are the handlers for which timers and sockets still wait. To
  // have all of them called, join first. Must not be called from a function that was posted here.
  ~asio_context();

  executor_type get_executor() noexcept;

  // Returns when everything that was posted is over, with what that has posted and what timers and
  // sockets wait for, and when no executor tracks outstanding work any more. Thread-safe, but must
  // not be called from a function that was posted here.
  void join() noexcept { work_.wait(); }

  [[nodiscard]] pool& where() const noexcept { return pool_; }

 private:
  template <class F>
  class posted;

  pool& pool_;
  std::atomic<bool> is_stopping_{false};
  detail::work_count functions_;  // counts functions that were posted and aren't over
  detail::work_count work_;       // the same, and executors that track outstanding work
};

// Meets asio's executor requirements. Properties: blocking (never, possibly), outstanding_work
// (tracked, untracked), context, occupancy. asio::prefer may ask for any other, which changes
// nothing.
class asio_context::executor_type {
 public:
  executor_type(const executor_type& other) noexcept;
  executor_type& operator=(const executor_type& other) noexcept;
  ~executor_type();

  // Calls f() on a worker of the pool; with blocking.possibly (for which asio::dispatch asks), at
  // once if the caller is one. An exception of f ends the program. Throws as pool::submit does.
  // Thread-safe. One allocation, unless it is a call.
  template <class F>
  void execute(F&& f) const;

  // The values of the properties.
  [[nodiscard]] asio_context& query(asio::execution::context_t) const noexcept;
  [[nodiscard]] std::size_t query(asio::execution::occupancy_t) const noexcept;
  [[nodiscard]] asio::execution::blocking_t query(asio::execution::blocking_t) const noexcept;
  [[nodiscard]] asio::execution::outstanding_work_t query(
      asio::execution::outstanding_work_t) const noexcept;

  // The same executor with another value of a property.
  [[nodiscard]] executor_type require(asio::execution::blocking_t::possibly_t) const noexcept;
  [[nodiscard]] executor_type require(asio::execution::blocking_t::never_t) const noexcept;
  [[nodiscard]] executor_type require(
      asio::execution::outstanding_work_t::tracked_t) const noexcept;
  [[nodiscard]] executor_type require(
      asio::execution::outstanding_work_t::untracked_t) const noexcept;

  friend bool operator==(const executor_type& a, const executor_type& b) noexcept {
    return a.context_ == b.context_ && a.may_call_ == b.may_call_ && a.tracks_ == b.tracks_;
  }
  friend bool operator!=(const executor_type& a, const executor_type& b) noexcept {
    return !(a == b);
  }

 private:
  friend asio_context;
  executor_type(asio_context& context, bool may_call, bool tracks) noexcept;

  asio_context* context_;
  bool may_call_;  // blocking.possibly
  bool tracks_;    // outstanding_work.tracked
};

}  // namespace heist::inline v0

#include "heist/detail/asio_impl.hpp"
