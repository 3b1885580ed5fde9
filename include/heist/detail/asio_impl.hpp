// The machinery of <heist/asio.hpp>: functions on their way to a worker, and copies of executors.
#pragma once

#include <asio/execution.hpp>

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "heist/asio.hpp"

namespace heist::inline v0 {

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

inline asio_context::~asio_context() {
  // Relaxed: a function that isn't counted yet while this waits is counted under the same lock
  // later, and then sees the store.
  is_stopping_.store(true, std::memory_order_relaxed);
  functions_.wait();
  shutdown();
  functions_.wait();  // functions that asio's thread posted until it ended
  destroy();
}

inline asio_context::executor_type asio_context::get_executor() noexcept {
  return executor_type(*this, true, false);
}

inline asio_context::executor_type::executor_type(asio_context& context, bool may_call,
                                                  bool tracks) noexcept
    : context_(&context), may_call_(may_call), tracks_(tracks) {
  if (tracks_) context_->work_.start();
}

inline asio_context::executor_type::executor_type(const executor_type& other) noexcept
    : executor_type(*other.context_, other.may_call_, other.tracks_) {}

inline asio_context::executor_type& asio_context::executor_type::operator=(
    const executor_type& other) noexcept {
  executor_type copy(other);
  std::swap(context_, copy.context_);
  std::swap(may_call_, copy.may_call_);
  std::swap(tracks_, copy.tracks_);
  return *this;
}

inline asio_context::executor_type::~executor_type() {
  if (tracks_) context_->work_.finish();
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

inline asio_context& asio_context::executor_type::query(asio::execution::context_t) const noexcept {
  return *context_;
}

inline std::size_t asio_context::executor_type::query(asio::execution::occupancy_t) const noexcept {
  return context_->pool_.workers();
}

inline asio::execution::blocking_t asio_context::executor_type::query(
    asio::execution::blocking_t) const noexcept {
  using blocking = asio::execution::blocking_t;
  return may_call_ ? blocking(blocking::possibly) : blocking(blocking::never);
}

inline asio::execution::outstanding_work_t asio_context::executor_type::query(
    asio::execution::outstanding_work_t) const noexcept {
  using work = asio::execution::outstanding_work_t;
  return tracks_ ? work(work::tracked) : work(work::untracked);
}

inline asio_context::executor_type asio_context::executor_type::require(
    asio::execution::blocking_t::possibly_t) const noexcept {
  return {*context_, true, tracks_};
}

inline asio_context::executor_type asio_context::executor_type::require(
    asio::execution::blocking_t::never_t) const noexcept {
  return {*context_, false, tracks_};
}

inline asio_context::executor_type asio_context::executor_type::require(
    asio::execution::outstanding_work_t::tracked_t) const noexcept {
  return {*context_, may_call_, true};
}

inline asio_context::executor_type asio_context::executor_type::require(
    asio::execution::outstanding_work_t::untracked_t) const noexcept {
  return {*context_, may_call_, false};
}

}  // namespace heist::inline v0
