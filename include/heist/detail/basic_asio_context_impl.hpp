// The machinery of <heist/basic_asio_context.hpp>: functions on their way to a worker, and copies
// of executors.
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "heist/basic_asio_context.hpp"

namespace heist::inline v0 {

// A function on its way to a worker. It is counted until it has been called or dropped, and
// destroyed.
template <class Names>
template <class F>
class basic_asio_context<Names>::posted {
 public:
  template <class G>
  posted(basic_asio_context& context, G&& g) : counted_{context}, function_(std::forward<G>(g)) {}
  posted(posted&&) = default;

  void operator()() && noexcept {
    F f(std::move(function_));
    // Relaxed: the destructor of the context waits for the functions that it doesn't stop.
    if (!counted_.context->is_stopping_.load(std::memory_order_relaxed)) std::move(f)();
  }

 private:
  struct count {
    explicit count(basic_asio_context& c) noexcept : context(&c) {
      c.functions_.start();
      c.work_.start();
    }
    count(count&& other) noexcept : context(std::exchange(other.context, nullptr)) {}
    ~count() {
      if (context == nullptr) return;
      context->work_.finish();
      context->functions_.finish();  // the last: the destructor of the context waits for it
    }
    basic_asio_context* context;
  };

  count counted_;  // outlives the function
  F function_;
};

template <class Names>
basic_asio_context<Names>::~basic_asio_context() {
  // Relaxed: a function that isn't counted yet while this waits is counted under the same lock
  // later, and then sees the store.
  is_stopping_.store(true, std::memory_order_relaxed);
  functions_.wait();
  this->shutdown();
  functions_.wait();  // functions that asio's thread posted until it ended
  this->destroy();
}

template <class Names>
auto basic_asio_context<Names>::get_executor() noexcept -> executor_type {
  return executor_type(*this, true, false);
}

template <class Names>
basic_asio_context<Names>::executor_type::executor_type(basic_asio_context& context, bool may_call,
                                                        bool tracks) noexcept
    : context_(&context), may_call_(may_call), tracks_(tracks) {
  if (tracks_) context_->work_.start();
}

template <class Names>
basic_asio_context<Names>::executor_type::executor_type(const executor_type& other) noexcept
    : executor_type(*other.context_, other.may_call_, other.tracks_) {}

template <class Names>
auto basic_asio_context<Names>::executor_type::operator=(const executor_type& other) noexcept
    -> executor_type& {
  executor_type taken(other);
  std::swap(context_, taken.context_);
  std::swap(may_call_, taken.may_call_);
  std::swap(tracks_, taken.tracks_);
  return *this;
}

template <class Names>
basic_asio_context<Names>::executor_type::~executor_type() {
  if (tracks_) context_->work_.finish();
}

template <class Names>
template <class F>
void basic_asio_context<Names>::executor_type::execute(F&& f) const {
  using function = std::decay_t<F>;
  if (may_call_ && context_->pool_.worker_index() >= 0) {
    [&]() noexcept { std::move(function(std::forward<F>(f)))(); }();
  } else {
    static_cast<void>(context_->pool_.submit(posted<function>(*context_, std::forward<F>(f))));
  }
}

template <class Names>
auto basic_asio_context<Names>::executor_type::query(typename Names::context_t) const noexcept
    -> basic_asio_context& {
  return *context_;
}

template <class Names>
std::size_t basic_asio_context<Names>::executor_type::query(
    typename Names::occupancy_t) const noexcept {
  return context_->pool_.workers();
}

template <class Names>
auto basic_asio_context<Names>::executor_type::query(blocking_t) const noexcept -> blocking_t {
  return may_call_ ? blocking_t(blocking_t::possibly) : blocking_t(blocking_t::never);
}

template <class Names>
auto basic_asio_context<Names>::executor_type::query(outstanding_work_t) const noexcept
    -> outstanding_work_t {
  return tracks_ ? outstanding_work_t(outstanding_work_t::tracked)
                 : outstanding_work_t(outstanding_work_t::untracked);
}

template <class Names>
auto basic_asio_context<Names>::executor_type::require(
    typename blocking_t::possibly_t) const noexcept -> executor_type {
  return {*context_, true, tracks_};
}

template <class Names>
auto basic_asio_context<Names>::executor_type::require(typename blocking_t::never_t) const noexcept
    -> executor_type {
  return {*context_, false, tracks_};
}

template <class Names>
auto basic_asio_context<Names>::executor_type::require(
    typename outstanding_work_t::tracked_t) const noexcept -> executor_type {
  return {*context_, may_call_, true};
}

template <class Names>
auto basic_asio_context<Names>::executor_type::require(
    typename outstanding_work_t::untracked_t) const noexcept -> executor_type {
  return {*context_, may_call_, false};
}

}  // namespace heist::inline v0
