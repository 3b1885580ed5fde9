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
#include <memory>
#include <type_traits>
#include <utility>

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
  ~asio_context() {
    // Relaxed: a function that isn't counted yet while this waits is counted under the same lock
    // later, and then sees the store.
    is_stopping_.store(true, std::memory_order_relaxed);
    functions_.wait();
    shutdown();
    functions_.wait();  // functions that asio's thread posted until it ended
    destroy();
  }

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
  executor_type(const executor_type& other) noexcept
      : executor_type(*other.context_, other.may_call_, other.tracks_) {}
  executor_type& operator=(const executor_type& other) noexcept {
    executor_type copy(other);
    std::swap(context_, copy.context_);
    std::swap(may_call_, copy.may_call_);
    std::swap(tracks_, copy.tracks_);
    return *this;
  }
  ~executor_type() {
    if (tracks_) context_->work_.finish();
  }

  // Calls f() on a worker of the pool; with blocking.possibly (for which asio::dispatch asks), at
  // once if the caller is one. An exception of f ends the program. Throws as pool::submit does.
  // Thread-safe. One allocation, unless it is a call.
  template <class F>
  void execute(F&& f) const;

  [[nodiscard]] asio_context& query(asio::execution::context_t) const noexcept { return *context_; }
  [[nodiscard]] std::size_t query(asio::execution::occupancy_t) const noexcept {
    return context_->pool_.workers();
  }
  [[nodiscard]] asio::execution::blocking_t query(asio::execution::blocking_t) const noexcept {
    using blocking = asio::execution::blocking_t;
    return may_call_ ? blocking(blocking::possibly) : blocking(blocking::never);
  }
  [[nodiscard]] asio::execution::outstanding_work_t query(
      asio::execution::outstanding_work_t) const noexcept {
    using work = asio::execution::outstanding_work_t;
    return tracks_ ? work(work::tracked) : work(work::untracked);
  }

  [[nodiscard]] executor_type require(asio::execution::blocking_t::possibly_t) const noexcept {
    return {*context_, true, tracks_};
  }
  [[nodiscard]] executor_type require(asio::execution::blocking_t::never_t) const noexcept {
    return {*context_, false, tracks_};
  }
  [[nodiscard]] executor_type require(
      asio::execution::outstanding_work_t::tracked_t) const noexcept {
    return {*context_, may_call_, true};
  }
  [[nodiscard]] executor_type require(
      asio::execution::outstanding_work_t::untracked_t) const noexcept {
    return {*context_, may_call_, false};
  }

  friend bool operator==(const executor_type& a, const executor_type& b) noexcept {
    return a.context_ == b.context_ && a.may_call_ == b.may_call_ && a.tracks_ == b.tracks_;
  }
  friend bool operator!=(const executor_type& a, const executor_type& b) noexcept {
    return !(a == b);
  }

 private:
  friend asio_context;
  executor_type(asio_context& context, bool may_call, bool tracks) noexcept
      : context_(&context), may_call_(may_call), tracks_(tracks) {
    if (tracks_) context_->work_.start();
  }

  asio_context* context_;
  bool may_call_;  // blocking.possibly
  bool tracks_;    // outstanding_work.tracked
};

// A function on its way to a worker. It is counted until it has been called or dropped, and
// destroyed.
template <class F>
class asio_context::posted {
 public:
  template <class G>
  posted(asio_context& context, G&& g) : counted_{context}, function_(std::forward<G>(g)) {}
  posted(posted&&) = default;

  void operator()() && noexcept {
    F f(std::move(function_));
    // Relaxed: the destructor of the context waits for the functions that it doesn't stop.
    if (!counted_.context->is_stopping_.load(std::memory_order_relaxed)) std::move(f)();
  }

 private:
  struct count {
    explicit count(asio_context& c) noexcept : context(&c) {
      c.functions_.start();
      c.work_.start();
    }
    count(count&& other) noexcept : context(std::exchange(other.context, nullptr)) {}
    ~count() {
      if (context == nullptr) return;
      context->work_.finish();
      context->functions_.finish();  // the last: the destructor of the context waits for it
    }
    asio_context* context;
  };

  count counted_;  // outlives the function
  F function_;
};

inline asio_context::executor_type asio_context::get_executor() noexcept {
  return executor_type(*this, true, false);
}

template <class F>
void asio_context::executor_type::execute(F&& f) const {
  using function = std::decay_t<F>;
  if (may_call_ && context_->pool_.worker_index() >= 0) {
    [&]() noexcept { std::move(function(std::forward<F>(f)))(); }();
  } else {
    static_cast<void>(context_->pool_.submit(posted<function>(*context_, std::forward<F>(f))));
  }
}

}  // namespace heist::inline v0
